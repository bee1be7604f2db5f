package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Leader;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Names, owners and values may hold anything; no log line and no message is broken by them. */
class ForeignTextTest {

  private static final String EVIL =
      "x\u001b[2J\r\nERROR all is lost\u202e\u2028\u200b\u009b31m{0}'%s";
  private static final String SHOWN =
      "x\\u001b[2J\\u000d\\u000aERROR all is lost\\u202e\\u2028\\u200b\\u009b31m{0}'%s";

  @Test
  void log_lines_quote_a_hostile_name_without_harm() throws Exception {
    try (Logs.Recording logs = Logs.record();
        Scene scene = Scene.plain()) {
      Lease lost = scene.request(EVIL, Scene.MUTEX).get();
      lost.onLost(
          () -> {
            throw new IllegalStateException("a failure of the caller's");
          });
      scene.faults.set(Verb.REFRESH, Manner.FAILS);
      scene.advance(Duration.ofSeconds(30));
      lost.close();
      scene.faults.set(Verb.LEAVE, Manner.FAILS);
      Lease silent = scene.request(EVIL, Scene.READ).get();
      silent.close();

      List<String> lines =
          logs.atLeast(Level.DEBUG).stream().filter(line -> line.contains("x\\u001b[2J")).toList();
      assertThat(lines)
          .anyMatch(line -> line.equals("Renewal of '" + SHOWN + "' is overdue"))
          .anyMatch(line -> line.startsWith("Lease on '" + SHOWN + "' (token "))
          .anyMatch(line -> line.equals("An action for the loss of '" + SHOWN + "' failed"))
          .anyMatch(line -> line.startsWith("No answer to the refresh of '" + SHOWN + "'"))
          .allMatch(ForeignTextTest::isHarmless);
      assertThat(logs.atLeast(Level.DEBUG)).noneMatch(line -> line.contains("x\u001b[2J"));
    }
  }

  @Test
  void exceptions_quote_a_hostile_name_without_harm_and_carry_it_as_it_is() throws Exception {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request(EVIL, Scene.MUTEX).get();
      assertThatThrownBy(() -> scene.request(EVIL, Scene.WRITE).get())
          .satisfies(e -> assertHarmless(e.getMessage()))
          .hasMessageContaining("'" + SHOWN + "' is in use as");
      assertThat(lease).hasToString("Lease[" + SHOWN + ", token " + lease.token() + ", HELD]");
      scene.engine.evict(EVIL, lease.token());
      scene.advance(Duration.ofSeconds(30));
      assertThatExceptionOfType(LeaseLostException.class)
          .isThrownBy(() -> lease.ensure(Duration.ofSeconds(1)))
          .satisfies(e -> assertHarmless(e.getMessage()))
          .satisfies(e -> assertThat(e.lockName()).isEqualTo(EVIL));
    }
  }

  @Test
  void what_a_driver_reports_cannot_break_a_message_but_stays_as_the_cause() {
    RuntimeException cause = new IllegalStateException(EVIL + "y".repeat(1_000_000));
    StoreException shown = new StoreException("", "No answer (" + cause.getMessage() + ")", cause);
    assertHarmless(shown.getMessage());
    assertThat(shown.getMessage()).contains("(" + SHOWN + "yyy").endsWith("…");
    assertThat(shown).hasCause(cause);
    assertHarmless(Finding.danger("the server says " + EVIL).message());
  }

  @Test
  void what_another_client_wrote_is_shown_without_harm() throws Exception {
    MemorySpace space = new MemorySpace();
    try (Ticker ticker = Ticker.system("foreign-text");
        Holdfast locks = Holdfast.builder().store(new MemoryLockStore(space, ticker)).build();
        MemoryLockStore foreign = new MemoryLockStore(space, ticker)) {
      Owner owner = new Owner(EVIL, 7, EVIL, EVIL, EVIL + "z".repeat(1_000_000));
      for (Kind kind : List.of(Kind.MUTEX, Kind.ELECTION)) {
        Claim claim =
            new Claim("id", kind.name(), kind, 1, 1, owner, Duration.ofMinutes(5), EVIL, 0, 0);
        foreign.join(claim, false, Deadline.in(Duration.ofSeconds(30), ticker));
      }

      assertThatExceptionOfType(LockTimeoutException.class)
          .isThrownBy(() -> locks.lock("MUTEX").acquire(Duration.ofMillis(1)))
          .withMessageStartingWith("Gave up on 'MUTEX' after 1 ms: held by " + SHOWN + "zzz")
          .satisfies(e -> assertHarmless(e.getMessage()));
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> locks.lock("MUTEX").acquireAsync(Duration.ofMillis(1)).join())
          .satisfies(e -> assertHarmless(e.getMessage()));
      ClaimInfo holder = locks.inspect("MUTEX").holders().get(0);
      assertThat(holder.value()).isEqualTo(EVIL);
      assertThat(holder.owner().host()).isEqualTo(EVIL);
      assertThat(holder.owner().label()).hasSize(128).endsWith("z…");
      assertHarmless(locks.inspect("MUTEX").toString());
      assertHarmless(locks.list("").toString());
      Leader leader = locks.election("ELECTION").leader().orElseThrow();
      assertThat(leader.value()).isEqualTo(EVIL);
      assertHarmless(leader.toString());
    }
  }

  @Test
  void a_client_cannot_take_a_name_that_others_could_not_read() {
    assertThatThrownBy(() -> Holdfast.builder().clientName(EVIL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("clientName '" + SHOWN + "' has a character that does not show");
    assertThatThrownBy(() -> Holdfast.builder().clientName("x".repeat(129)))
        .hasMessageStartingWith("clientName has 129 characters, at most 128 are allowed");
  }

  @Test
  void a_long_name_of_a_thread_is_shortened_so_that_its_proof_can_be_read() throws Exception {
    String before = Thread.currentThread().getName();
    try (Holdfast locks = Holdfast.connect("memory:")) {
      Thread.currentThread().setName(EVIL + "t".repeat(1_000));
      Lease lease = locks.lock("long-thread").acquire();
      assertThat(lease.owner().thread()).hasSize(128).startsWith(EVIL).endsWith("t…");
      assertThat(Proof.parse(lease.proof().toString())).isEqualTo(lease.proof());
      lease.close();
    } finally {
      Thread.currentThread().setName(before);
    }
  }

  private static void assertHarmless(String text) {
    assertThat(isHarmless(text)).as(text).isTrue();
  }

  private static boolean isHarmless(String text) {
    return text.matches("[\\x20-\\x7e…]*") && text.length() < 8_192;
  }
}
