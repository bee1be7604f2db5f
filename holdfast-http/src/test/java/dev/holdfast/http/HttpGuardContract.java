package dev.holdfast.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.ProofKey;
import dev.holdfast.RequestGuard;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Tokens;
import java.io.IOException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    silent = body.startsWith("silent ");
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
  void the_holder_is_accepted() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      HttpResponse<String> answer = send(lease.proof().toString(), "one");
      assertThat(answer.body()).isEqualTo("written");
      assertThat(answer.statusCode()).isEqualTo(200);
    }
    assertThat(written).containsExactly("one");
  }

  @Test
  void a_sender_that_has_lost_the_lock_is_refused_before_a_later_holder_comes() throws Exception {
    Lease old = master.lock("orders").acquire();
    send(old.proof().toString(), "one");
    worker.breakLock("orders");
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
      } catch (IOException connectionClosedWithoutAnswer) {
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "CANARY",
        "hp1.orders.CANARY.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.orders.1.CANARY.h%3B1%3Bt%3Bc%3Bl",
        "hp1.orders.1.exclusive.CANARY",
        "hp1.orders.1.exclusive.h%3BCANARY%3Bt%3Bc%3Bl",
        "hp1.orders.1.exclusive.h%3B1%3Bt%3Bc%3B%25CANARY",
        "hp1.%zCANARY.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.CANARY%00.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.orders.1.exclusive.h%3B1%3Bt%3Bc%3Bl, hp1.CANARY.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "{\"CANARY\": 1}"
      })
  void what_cannot_be_read_is_refused_and_not_repeated(String text) throws Exception {
    HttpResponse<String> answer = send(text, "x");
    assertThatIsRefused(answer, 400, "malformed-proof", "proof");
    assertThat(answer.body())
        .as("neither the text, which may be a secret of another kind, nor names of classes")
        .doesNotContain("CANARY", "java.", "dev.holdfast");
    assertThat(written).isEmpty();
  }

  @Test
  void a_proof_that_is_far_too_long_is_refused_in_a_few_words() throws Exception {
    for (int length : List.of(7_000, 100_000, 10_000_000)) {
      HttpResponse<String> answer;
      try {
        answer = send("hp1.orders.1.exclusive." + "h".repeat(length), "x");
      } catch (IOException serverHungUp) {
        continue;
      }
      assertThat(answer.statusCode()).isIn(400, 413, 431);
      assertThat(answer.body()).hasSizeLessThan(1_000);
    }
    assertThat(written).isEmpty();
    the_holder_is_accepted();
  }

  @Test
  void a_name_with_line_breaks_stays_one_header_on_the_way_in_and_text_on_the_way_out()
      throws Exception {
    try (Lease lease = master.lock("orders\r\nX-Forged: yes\r\n\r\n<script>").acquire()) {
      HttpResponse<String> answer = http.send(body(ProofHeader.set(request(), lease), "x"), text());
      assertThatIsRefused(answer, 409, "other-lock", "'orders\\\\u000d\\\\u000aX-Forged: yes");
      assertThat(answer.headers().firstValue("X-Forged")).isEmpty();
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
      assertThat(answer.body().chars()).allMatch(c -> c >= ' ');
    }
    assertThat(written).isEmpty();
  }

  @Test
  void a_sender_of_a_large_body_learns_why_it_is_refused() throws Exception {
    byte[] lot = new byte[60_000];
    HttpRequest request =
        request()
            .header(ProofHeader.NAME, "hp1")
            .POST(HttpRequest.BodyPublishers.ofByteArray(lot))
            .build();
    for (int i = 0; i < 5; i++) { // each on its own connection
      assertThatIsRefused(http.send(request, text()), 400, "malformed-proof", "proof");
    }
    the_holder_is_accepted();
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
      assertThatIsRefused(send(lease.proof().toString(), "x"), 503, "unknown", "send it again");
    }
    assertThat(written).isEmpty();
  }

  @Test
  void a_handler_that_cannot_check_its_write_is_answered_in_the_same_way() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      assertThatIsRefused(
          send(lease.proof().toString(), "silent "), 503, "unknown", "\"lock\": \"orders\"");
    }
    assertThat(written).isEmpty();
  }

  @Test
  void an_altered_proof_is_refused_and_shuts_nobody_out() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      String real = lease.proof().toString();
      String token = "." + lease.token() + ".";
      for (String altered : List.of("" + (lease.token() + 1), "" + Tokens.MAX, "1")) {
        assertThatIsRefused(
            send(real.replace(token, "." + altered + "."), "forged"), 409, "not-the-holder", "");
      }
      for (String altered : List.of("" + Long.MAX_VALUE, "0", "-1", "+1", "01")) {
        assertThatIsRefused(
            send(real.replace(token, "." + altered + "."), "forged"), 400, "malformed-proof", "");
      }
      assertThatIsRefused(
          send(real.replace(".exclusive.", ".permit."), "forged"), 409, "not-the-holder", "");
      assertThat(send(real, "one").statusCode()).isEqualTo(200);
    }
    try (Lease next = successor.lock("orders").acquire()) {
      assertThat(send(next.proof().toString(), "two").statusCode()).isEqualTo(200);
    }
    assertThat(written).containsExactly("one", "two");
  }

  @Test
  void a_guard_that_wants_signatures_refuses_what_is_not_signed_or_was_altered() throws Exception {
    ProofKey key = ProofKey.of("k1", "0123456789abcdef0123456789abcdef".getBytes(UTF_8));
    server.close();
    server = start(guard.requiring(List.of(key)));
    try (Lease lease = master.lock("orders").acquire()) {
      assertThatIsRefused(
          send(lease.proof().toString(), "forged"), 403, "untrusted-proof", "is not signed");
      String signed = lease.proof().sign(key).toString();
      assertThatIsRefused(
          send(signed.replace(".exclusive.", ".shared."), "forged"), 403, "untrusted-proof", "");
      HttpRequest.Builder request = ProofHeader.set(request(), lease, key);
      assertThat(http.send(body(request, "one"), text()).statusCode()).isEqualTo(200);
    }
    assertThat(written).containsExactly("one");
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
      if (silent) {
        throw new StoreException(proof.lock(), "no answer");
      }
      fence.check(proof);
    }

    @Override
    public long current(String lock) {
      return fence.current(lock);
    }

    @Override
    public void reset(String lock, long token) {
      fence.reset(lock, token);
    }
  }
}
