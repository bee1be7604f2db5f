package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a guard before an HTTP server promises. The server puts what is sent to {@code /NAME} on a
 * list, under the protection of the lock NAME.
 */
abstract class HttpGuardContract {

  /** A server with a guard. */
  interface Server extends AutoCloseable {
    int port();
  }

  private final HttpClient http = HttpClient.newHttpClient();
  private final String store = "memory:" + UUID.randomUUID();
  private final Holdfast master = Holdfast.connect(store);
  private final Holdfast successor = Holdfast.connect(store);
  private final Holdfast worker = Holdfast.connect(store);
  private final Fence fence = Fence.inMemory();
  private final RequestGuard guard = RequestGuard.of(worker, new AtTimesSilent());
  private final List<String> written = new CopyOnWriteArrayList<>();
  private volatile boolean silent;
  private Server server;

  /** Starts a server; {@link #handle} gets what comes through the guard. */
  abstract Server start(RequestGuard guard) throws Exception;

  /** What stands behind the guard. */
  final String handle(String proof, String body) {
    if (body.startsWith("late ")) { // while this request was under way, a later holder came
      Proof given = Proof.parse(proof);
      fence.enter(new Proof(given.lock(), given.token() + 1, given.mode(), given.owner()));
    }
    if (body.startsWith("strange ")) {
      throw new StaleTokenException("another", 1, 2);
    }
    guard.check(Proof.parse(proof));
    written.add(body);
    return "written";
  }

  @BeforeEach
  void open() throws Exception {
    server = start(guard);
  }

  @AfterEach
  void close() throws Exception {
    server.close();
    master.close();
    successor.close();
    worker.close();
  }

  @Test
  void the_holder_is_let_in() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      HttpResponse<String> answer = send(lease.proof().toString(), "one");
      assertThat(answer.body()).isEqualTo("written");
      assertThat(answer.statusCode()).isEqualTo(200);
    }
    assertThat(written).containsExactly("one");
  }

  @Test
  void whoever_has_lost_the_lock_is_refused_before_a_later_holder_comes() throws Exception {
    Lease old = master.lock("orders").acquire();
    send(old.proof().toString(), "one");
    worker.breakLock("orders");
    assertThat(old.isValid()).as("it has not noticed yet").isTrue();
    assertThatIsRefused(
        send(old.proof().toString(), "stale"),
        409,
        "not-the-holder",
        "\"lock\": \"orders\", \"token\": \"" + old.token() + "\"");
    assertThat(written).containsExactly("one");
  }

  @Test
  void an_older_token_is_refused_once_a_later_one_was_here() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      Proof older = lease.proof();
      fence.enter(new Proof("orders", older.token() + 1, older.mode(), older.owner()));
      assertThatIsRefused(
          send(older.toString(), "stale"),
          412,
          "stale-token",
          "\"token\": \"" + older.token() + "\", \"current\": \"" + (older.token() + 1) + "\"");
    }
    assertThat(written).isEmpty();
  }

  @Test
  void a_check_that_fails_inside_the_handler_is_answered_in_the_same_way() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      assertThatIsRefused(
          send(lease.proof().toString(), "late write"), 412, "stale-token", "\"lock\": \"orders\"");
    }
    assertThat(written).isEmpty();
  }

  @Test
  void what_a_handler_throws_about_another_lock_is_its_own_failure() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      HttpRequest.Builder request = request().setHeader(ProofHeader.NAME, lease.proof().toString());
      int status;
      try {
        status = http.send(body(request, "strange "), text()).statusCode();
      } catch (java.io.IOException connectionClosedWithoutAnswer) {
        status = 500;
      }
      assertThat(status).isEqualTo(500);
    }
  }

  @Test
  void a_request_without_a_proof_is_refused() throws Exception {
    HttpResponse<String> answer = http.send(body(request(), "bare"), text());
    assertThatIsRefused(answer, 428, "no-proof", ProofHeader.NAME);
    assertThat(written).isEmpty();
  }

  @Test
  void a_malformed_proof_is_refused() throws Exception {
    assertThatIsRefused(send("hp1.orders", "x"), 400, "malformed-proof", "\"lock\": \"orders\"");
  }

  @Test
  void two_proofs_are_refused() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      HttpRequest.Builder request = ProofHeader.set(request(), lease);
      request.header(ProofHeader.NAME, lease.proof().toString());
      HttpResponse<String> answer = http.send(body(request, "x"), text());
      assertThatIsRefused(answer, 400, "malformed-proof", "2 proofs");
    }
  }

  @Test
  void a_proof_of_another_lock_is_refused_though_its_sender_holds_that_lock() throws Exception {
    try (Lease lease = master.lock("my \"own\" lock").acquire()) {
      assertThatIsRefused(
          send(lease.proof().toString(), "x"), 409, "other-lock", "'my \\\"own\\\" lock'");
    }
    assertThat(written).isEmpty();
  }

  @Test
  void while_the_resource_does_not_answer_everybody_is_refused() throws Exception {
    silent = true;
    try (Lease lease = master.lock("orders").acquire()) {
      assertThatIsRefused(send(lease.proof().toString(), "x"), 503, "unknown", "no answer");
    }
    assertThat(written).isEmpty();
  }

  @Test
  void the_successor_takes_over() throws Exception {
    Lease old = master.lock("orders").acquire();
    send(old.proof().toString(), "old");
    worker.breakLock("orders");
    try (Lease next = successor.lock("orders").acquire()) {
      assertThat(send(next.proof().toString(), "new").statusCode()).isEqualTo(200);
      assertThat(send(old.proof().toString(), "stale").statusCode()).isEqualTo(409);
    }
    assertThat(written).containsExactly("old", "new");
  }

  private HttpResponse<String> send(String proof, String what) throws Exception {
    return http.send(body(request().header(ProofHeader.NAME, proof), what), text());
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/orders"));
  }

  private static HttpRequest body(HttpRequest.Builder request, String text) {
    return request.POST(HttpRequest.BodyPublishers.ofString(text)).build();
  }

  private static HttpResponse.BodyHandler<String> text() {
    return HttpResponse.BodyHandlers.ofString();
  }

  private static void assertThatIsRefused(
      HttpResponse<String> answer, int status, String type, String says) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
    assertThat(answer.body())
        .startsWith("{\"type\": \"urn:holdfast:" + type + "\", ")
        .contains("\"status\": " + status)
        .contains(says);
  }

  /** The fence of a resource that can be out of reach. */
  private final class AtTimesSilent implements Fence {
    @Override
    public void enter(Proof proof) {
      if (silent) {
        throw new StoreException(proof.lock(), "no answer");
      }
      fence.enter(proof);
    }

    @Override
    public void check(Proof proof) {
      fence.check(proof);
    }
  }
}
