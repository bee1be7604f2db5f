package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.HostileText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a guard answers to requests that no well-meaning client sends, on a real socket. */
abstract class HostileRequestContract {

  private static final int THREADS = 4;
  private static final long SEED = 20_260_117;
  private static final String HEADER = ProofHeader.NAME + ": ";

  private final String store = "memory:" + UUID.randomUUID();
  private final Holdfast holder = Holdfast.connect(store);
  private final Holdfast worker = Holdfast.connect(store);
  private final Fence memory = Fence.inMemory();
  private final List<String> written = new CopyOnWriteArrayList<>();
  private volatile boolean fenceFails;
  private HttpGuardContract.Server server;
  private Lease lease;
  private String proof;

  abstract HttpGuardContract.Server start(
      RequestGuard guard, int threads, BinaryOperator<String> handler) throws Exception;

  @BeforeEach
  void open() throws Exception {
    RequestGuard guard = RequestGuard.of(worker, new AtTimesBroken());
    server =
        start(
            guard,
            THREADS,
            (sent, body) -> {
              if (body.equals("close the client")) {
                worker.close();
              }
              guard.check(Proof.parse(sent));
              written.add(body);
              return "written";
            });
    lease = holder.lock("orders").acquire();
    proof = lease.proof().toString();
  }

  @AfterEach
  void close() throws Exception {
    server.close();
    holder.close();
    worker.close();
  }

  @Test
  void a_refused_sender_is_answered_before_its_body_has_come_and_then_hung_up_on()
      throws Exception {
    try (RawRequest slow = new RawRequest(server.port())) {
      slow.write(RawRequest.head(1_000_000)).write("0123456789");
      assertThat(RawRequest.summary(slow.answer())).startsWith("428 {\"type\": ");
      slow.awaitEnd();
    }
    assertTheHolderIsServed();
  }

  @Test
  void slow_senders_that_are_refused_do_not_keep_others_out() throws Exception {
    List<RawRequest> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * THREADS; i++) {
        RawRequest request = new RawRequest(server.port());
        slow.add(request.write(RawRequest.head(1_000_000)).write("0"));
      }
      assertTheHolderIsServed();
      for (RawRequest request : slow) {
        assertThat(RawRequest.summary(request.answer())).startsWith("428 ");
        request.awaitEnd();
      }
    } finally {
      for (RawRequest request : slow) {
        request.close();
      }
    }
  }

  @Test
  void a_chunked_body_that_never_ends_is_cut_off() throws Exception {
    String head = "POST /orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (RawRequest slow = new RawRequest(server.port())) {
      slow.write(head).write("5\r\nabcde\r\n");
      assertThat(RawRequest.summary(slow.answer())).startsWith("428 ");
      slow.awaitEnd();
    }
    try (RawRequest endless = new RawRequest(server.port())) {
      endless.write(head);
      assertThat(writtenUntilCutOff(endless, "2000\r\n" + "x".repeat(0x2000) + "\r\n"))
          .isLessThan(50_000_000);
    }
    assertTheHolderIsServed();
  }

  @Test
  void a_huge_body_of_a_refused_sender_is_not_read() throws Exception {
    try (RawRequest huge = new RawRequest(server.port())) {
      huge.write(RawRequest.head(10_000_000_000L));
      assertThat(writtenUntilCutOff(huge, "x".repeat(0x2000))).isLessThan(50_000_000);
    }
    assertTheHolderIsServed();
  }

  @Test
  void a_sender_that_is_refused_with_its_whole_body_sent_learns_why() throws Exception {
    for (int length : List.of(0, 1, 1_000, 60_000)) {
      try (RawRequest request = new RawRequest(server.port())) {
        request.write(RawRequest.head(length)).write("x".repeat(length));
        assertThat(RawRequest.summary(request.answer()))
            .as("%d bytes", length)
            .startsWith("428 {\"type\": \"urn:holdfast:no-proof\"");
        request.awaitEnd();
      }
    }
  }

  /** What follows a refused request on its connection must never pass for a request. */
  @Test
  void the_body_of_a_refused_request_is_not_taken_for_another_request() throws Exception {
    String inner = RawRequest.head(5, HEADER + proof + "\r\n") + "inner";
    try (RawRequest request = new RawRequest(server.port())) {
      request.write(RawRequest.head(inner.length()) + inner);
      assertThat(RawRequest.summary(request.answer())).startsWith("428 ");
      request.awaitEnd();
    }
    assertThat(written).isEmpty();
  }

  @Test
  void a_head_request_is_refused_without_a_body() throws Exception {
    try (RawRequest head = new RawRequest(server.port())) {
      head.write("HEAD /orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(head.answer()).startsWith("HTTP/1.1 428 ").endsWith("\r\n\r\n");
    }
  }

  @Test
  void a_header_that_comes_byte_by_byte_is_read_as_any_other() throws Exception {
    try (RawRequest slow = new RawRequest(server.port())) {
      String text = RawRequest.head(3, HEADER + proof + "\r\n") + "one";
      for (int i = 0; i < text.length(); i++) {
        slow.write(text.substring(i, i + 1));
      }
      assertThat(slow.answer()).startsWith("HTTP/1.1 200 ");
    }
    assertThat(written).containsExactly("one");
  }

  @Test
  void doubled_folded_joined_empty_and_missing_headers_are_refused() throws Exception {
    String other = lease.proof().toString().replace("hp1.orders", "hp1.other");
    List<String> refused =
        List.of(
            "",
            HEADER + "\r\n",
            HEADER + "   \r\n",
            HEADER + proof + "\r\n" + HEADER + proof + "\r\n",
            HEADER + proof + "\r\nHOLDFAST-PROOF: " + proof + "\r\n",
            "holdfast-proof: " + other + "\r\n" + HEADER + proof + "\r\n",
            HEADER + "\r\n" + HEADER + proof + "\r\n",
            HEADER + proof + "," + proof + "\r\n",
            HEADER + proof + ", " + other + "\r\n",
            HEADER + "," + proof + "\r\n",
            HEADER + "\"" + proof + "\"\r\n",
            HEADER + proof.substring(0, 20) + "\r\n " + proof.substring(20) + "\r\n",
            HEADER + proof.substring(0, 20) + "\r\n\t" + proof.substring(20) + "\r\n",
            "Holdfast-Proof\u00a0: " + proof + "\r\n",
            "Holdfast_Proof: " + proof + "\r\n",
            "X-Holdfast-Proof: " + proof + "\r\n",
            HEADER + proof.replace("hp1", "HP1") + "\r\n",
            HEADER + proof.replace("hp1", "hp2") + "\r\n",
            HEADER + proof.replace(".exclusive.", ".EXCLUSIVE.") + "\r\n",
            HEADER + proof.replace("%3B", "%3b") + "\r\n",
            HEADER + proof.replace("%3B", ";") + "\r\n",
            HEADER + proof + "%00\r\n",
            HEADER + proof + ".\r\n",
            HEADER + proof.substring(0, 20) + "\u0001" + proof.substring(20) + "\r\n",
            HEADER + proof + "\u00e9\r\n",
            HEADER + "x".repeat(5_000) + "\r\n",
            HEADER + "x".repeat(17_000) + "\r\n",
            HEADER + "x".repeat(300_000) + "\r\n",
            HEADER + ".".repeat(7_000) + "\r\n",
            HEADER + "%".repeat(7_000) + "\r\n");
    for (String header : refused) {
      assertRefused(header);
    }
    assertThat(written).isEmpty();
    assertTheHolderIsServed();
  }

  /** One character of a proof put in, taken out or changed, hundreds of times. */
  @Test
  void no_damaged_proof_is_accepted() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    String alphabet = "abchp1.%3B+-_XYZ0 9;,=";
    int sent = 0;
    for (int round = 0; round < 300; round++) {
      StringBuilder damaged = new StringBuilder(proof);
      int at = random.nextInt(proof.length());
      char c = alphabet.charAt(random.nextInt(alphabet.length()));
      switch (random.nextInt(3)) {
        case 0 -> damaged.insert(at, c);
        case 1 -> damaged.deleteCharAt(at);
        default -> damaged.setCharAt(at, c);
      }
      if (isDamage(damaged.toString().strip())) {
        assertRefused(HEADER + damaged + "\r\n");
        sent++;
      }
    }
    assertThat(sent).isGreaterThan(200);
    assertThat(written).isEmpty();
  }

  /** Not where it still names the same client and lock: that is for the store to judge. */
  private boolean isDamage(String text) {
    try {
      Proof read = Proof.parse(text);
      return !read.lock().equals("orders") || !read.owner().client().equals(lease.owner().client());
    } catch (IllegalArgumentException damaged) {
      return true;
    }
  }

  @Test
  void problem_bodies_repeat_text_of_others_without_harm() throws Exception {
    HostileText texts = new HostileText(SEED);
    for (int round = 0; round < 100; round++) {
      String part = texts.next();
      Owner owner = new Owner(part, 7, texts.next(), texts.next(), texts.next());
      String lock = round % 2 == 0 ? "orders" : "n" + texts.next();
      String sent = new Proof(lock, lease.token(), Mode.EXCLUSIVE, owner).toString();
      assertRefused(HEADER + sent + "\r\n");
    }
    assertThat(written).isEmpty();
  }

  @Test
  void while_nobody_can_be_checked_the_answer_tells_no_internals() throws Exception {
    fenceFails = true;
    try (RawRequest request = new RawRequest(server.port())) {
      request.write(RawRequest.head(3, HEADER + proof + "\r\n") + "one");
      assertUnknown(request.answer());
    }
    assertThat(written).isEmpty();
  }

  @Test
  void a_closed_client_is_an_answer_like_a_silent_store() throws Exception {
    try (RawRequest within = new RawRequest(server.port())) {
      within.write(RawRequest.head(16, HEADER + proof + "\r\n") + "close the client");
      assertUnknown(within.answer());
    }
    try (RawRequest after = new RawRequest(server.port())) {
      after.write(RawRequest.head(3, HEADER + proof + "\r\n") + "one");
      assertUnknown(after.answer());
    }
    assertThat(written).isEmpty();
  }

  private static void assertUnknown(String answer) {
    assertThat(RawRequest.summary(answer))
        .isEqualTo(
            "503 {\"type\": \"urn:holdfast:unknown\", \"title\": \"The sender could not be"
                + " checked\", \"status\": 503, \"detail\": \"Nothing was done for this request;"
                + " send it again later\", \"lock\": \"orders\"}");
  }

  private void assertRefused(String header) throws IOException {
    String what = header.length() > 100 ? header.substring(0, 100) + "…" : header;
    try (RawRequest request = new RawRequest(server.port())) {
      try {
        request.write(RawRequest.head(4, header) + "body");
      } catch (IOException serverHungUp) {
        // then it is not admitted either
      }
      String answer = RawRequest.summary(request.answer());
      assertThat(answer).as(what).matches("(?s)(none|400|409|413|428|431) .*");
      assertThat(answer).as(what).hasSizeLessThan(8_192);
      if (answer.contains("{\"type\": ")) {
        assertThat(HostileText.isHarmless(answer)).as(answer).isTrue();
      }
    }
    assertThat(written).as(what).isEmpty();
  }

  private void assertTheHolderIsServed() throws IOException {
    int before = written.size();
    try (RawRequest request = new RawRequest(server.port())) {
      request.write(RawRequest.head(4, HEADER + proof + "\r\n") + "good");
      assertThat(request.answer()).startsWith("HTTP/1.1 200 ");
    }
    assertThat(written).hasSize(before + 1);
  }

  /** How much could be sent before the server hung up. */
  private static long writtenUntilCutOff(RawRequest request, String piece) {
    long sent = 0;
    try {
      while (sent < 100_000_000) {
        request.write(piece);
        sent += piece.length();
      }
    } catch (IOException cutOff) {
      // as it should be
    }
    return sent;
  }

  /** A fence whose failures contain more than a client should see. */
  private final class AtTimesBroken implements Fence {
    @Override
    public void enter(Proof entering) {
      if (fenceFails) {
        throw new StoreException(
            entering.lock(), "No answer from redis://db-7.internal:6379 (java.io.IOException)");
      }
      memory.enter(entering);
    }

    @Override
    public void check(Proof checked) {
      memory.check(checked);
    }

    @Override
    public long current(String lock) {
      return memory.current(lock);
    }

    @Override
    public void reset(String lock, long token) {
      memory.reset(lock, token);
    }
  }
}
