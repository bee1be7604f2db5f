package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {

  private final MemoryFixture fixture = new MemoryFixture();
  private final ManualTicker ticker = fixture.ticker().orElseThrow();
  private final LockStore store = fixture.open();
  private final FaultyStore faulty = new FaultyStore(fixture.open(), ticker, Faults.none(), 1);

  @Test
  void without_faults_every_call_is_passed_on_at_once() {
    Claim claim = claim("lock");

    assertThat(joined(claim)).isCompletedWithValueMatching(Granted.class::isInstance);
    assertThat(refreshed(claim)).isCompletedWithValueMatching(map -> map.containsKey(claim));
    assertThat(faulty.inspect("lock").toCompletableFuture().join().isHeld()).isTrue();
    assertThat(faulty.list("", 5).toCompletableFuture().join()).hasSize(1);
    assertThat(faulty.evict("lock", LockStore.ANY_TOKEN).toCompletableFuture().join()).isTrue();
    assertThat(faulty.leave(List.of(Departure.of(claim)), Deadlines.far()).toCompletableFuture())
        .isCompleted();
    assertThat(faulty.calls(Verb.JOIN)).isEqualTo(1);
    assertThat(faulty.traits()).isEqualTo(store.traits());
    assertThat(faulty.toString()).contains("memory:");
  }

  @Test
  void a_lost_request_has_no_effect() {
    faulty.faults(Faults.cutOff());

    CompletableFuture<JoinAnswer> answer = joined(claim("lock"));

    ticker.advance(Duration.ofHours(1));
    assertThat(answer).isNotDone();
    assertThat(isHeld("lock")).isFalse();
  }

  @Test
  void a_lost_answer_hides_the_effect() {
    faulty.faults(Faults.mute());

    CompletableFuture<JoinAnswer> answer = joined(claim("lock"));

    assertThat(answer).isNotDone();
    assertThat(isHeld("lock")).isTrue();
  }

  @Test
  void an_error_is_unknown_and_has_no_effect() {
    faulty.faults(Faults.failing());

    CompletableFuture<JoinAnswer> answer = joined(claim("lock"));

    assertThat(answer)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(StoreException.class);
    assertThat(isHeld("lock")).isFalse();
  }

  @Test
  void a_late_join_arrives_after_its_failure_was_reported() {
    faulty.faults(only(0, 0, 100, 0, 0).delayed(Duration.ofMillis(100)));
    CompletableFuture<JoinAnswer> answer = joined(claim("lock"));

    ticker.advance(Duration.ofMillis(100));
    assertThat(answer).isCompletedExceptionally();
    ticker.advance(Duration.ofMillis(800));

    assertThat(isHeld("lock")).isTrue();
  }

  @Test
  void a_duplicate_arrives_twice() {
    faulty.faults(only(0, 0, 0, 100, 0).delayed(Duration.ofMillis(10)));
    Claim claim = claim("lock");
    joined(claim);
    ticker.advance(Duration.ofMillis(11));
    store.leave(List.of(Departure.of(claim)), Deadlines.far());
    assertThat(isHeld("lock")).isFalse();

    ticker.advance(Duration.ofMillis(100));

    assertThat(isHeld("lock")).isTrue();
  }

  @Test
  void delays_pass_on_the_ticker() {
    faulty.faults(Faults.none().delayed(Duration.ofMillis(100)));
    CompletableFuture<JoinAnswer> answer = joined(claim("lock"));
    assertThat(answer).isNotDone();

    ticker.advance(Duration.ofMillis(200));

    assertThat(answer).isCompleted();
  }

  @Test
  void a_refresh_answers_unknown_although_it_took_effect() {
    Claim claim = claim("lock");
    joined(claim);
    faulty.faults(only(0, 0, 0, 0, 100));

    assertThat(refreshed(claim).join().get(claim)).isInstanceOf(Unknown.class);
  }

  @Test
  void hints_get_lost_or_come_for_no_reason() {
    AtomicInteger hints = new AtomicInteger();
    Claim holder = claim("lock");
    store.join(holder, false, Deadlines.far());
    faulty.faults(
        new Faults(
            0, 0, 0, 0, 0, 0, 100, 100, 0, Duration.ofMillis(10), EnumSet.noneOf(Verb.class)));
    faulty.observe("lock", hints::incrementAndGet);
    ticker.advance(Duration.ofMillis(100));
    assertThat(hints).hasValue(1);
    faulty.join(claim("lock"), true, Deadlines.far());

    store.leave(List.of(Departure.of(holder)), Deadlines.far());
    ticker.advance(Duration.ofMillis(100));

    assertThat(hints).hasValue(1);
  }

  @Test
  void faults_hit_the_chosen_verbs_alone() {
    faulty.faults(Faults.failing().on(Verb.LEAVE));

    Claim claim = claim("lock");

    assertThat(joined(claim)).isCompleted();
    assertThat(faulty.leave(List.of(Departure.of(claim)), Deadlines.far()).toCompletableFuture())
        .isCompletedExceptionally();
  }

  @Test
  void chances_beyond_every_call_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> only(60, 60, 0, 0, 0))
        .withMessageContaining("100");
  }

  @Test
  void the_same_seed_gives_the_same_answers() {
    assertThat(outcomes(42)).isEqualTo(outcomes(42));
    assertThat(outcomes(42)).isNotEqualTo(outcomes(43));
  }

  private static List<String> outcomes(long seed) {
    MemoryFixture fixture = new MemoryFixture();
    ManualTicker ticker = fixture.ticker().orElseThrow();
    FaultyStore store =
        new FaultyStore(fixture.open(), ticker, Faults.some(Duration.ofMillis(50)), seed);
    List<String> outcomes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int number = i;
      store
          .join(claim("lock-" + i), false, Deadlines.far())
          .whenComplete(
              (answer, failure) ->
                  outcomes.add(number + " at " + ticker.sinceStart() + (failure == null)));
      ticker.advance(Duration.ofMillis(10));
    }
    return outcomes;
  }

  private static Faults only(
      int lostRequest, int lostAnswer, int late, int duplicate, int unknownClaim) {
    return new Faults(
        lostRequest,
        lostAnswer,
        0,
        late,
        duplicate,
        unknownClaim,
        0,
        0,
        0,
        Duration.ZERO,
        EnumSet.allOf(Verb.class));
  }

  private CompletableFuture<JoinAnswer> joined(Claim claim) {
    return faulty.join(claim, false, Deadlines.far()).toCompletableFuture();
  }

  private CompletableFuture<Map<Claim, Standing>> refreshed(Claim claim) {
    return faulty.refresh(List.of(claim), Deadlines.far()).toCompletableFuture();
  }

  private boolean isHeld(String lock) {
    return store.inspect(lock).toCompletableFuture().join().isHeld();
  }

  private static Claim claim(String lock) {
    Owner owner = new Owner("host", 1, "thread", "client", "");
    return new Claim(
        UUID.randomUUID().toString(),
        lock,
        Kind.MUTEX,
        1,
        1,
        owner,
        Duration.ofMinutes(5),
        null,
        0,
        0);
  }
}
