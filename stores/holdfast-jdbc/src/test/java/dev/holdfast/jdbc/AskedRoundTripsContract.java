package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.poll.PollInterval;
import dev.holdfast.jdbc.poll.Poller;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What waiting costs where one request renews a waiting claim: the client is asked to refresh, and
 * nothing else is polled.
 */
abstract class AskedRoundTripsContract extends RoundTripsContract {

  private static final Duration MOMENT = Duration.ofMillis(1);

  private final AtomicInteger hints = new AtomicInteger();
  private LockStore others;

  @Override
  int ofRenewingAWaiter() {
    return 1;
  }

  @BeforeEach
  void openOthers() {
    others = new JdbcProvider().open(database().url() + "&holdfast.connections=1", settings());
    // The server counts all statements, so those of the sweep must not come in between.
    Ask.of(others.inspect("behind the sweep that opening starts"));
    guessWrong();
  }

  @AfterEach
  void closeOthers() {
    others.close();
  }

  @Test
  void the_first_looks_after_the_next_in_line_are_its_renewals() {
    Claim next = waiting("lock");

    assertThat(passed(PollInterval.FIRST.minus(MOMENT))).as("too soon").isZero();
    assertThat(passed(MOMENT)).as("poll instead of the first look").isZero();
    for (int asked = 1; asked <= Poller.ASKS; asked++) {
      assertThat(hints).hasValue(asked);
      assertThat(cost(() -> assertThat(Ask.refresh(store(), next)).isEqualTo(new Queued(1))))
          .as("question " + asked)
          .isEqualTo(1);
      assertThat(passed(PollInterval.FAST.minus(MOMENT)))
          .as("poll after question " + asked)
          .isZero();
      if (asked < Poller.ASKS) {
        assertThat(passed(MOMENT)).as("poll instead of the next question").isZero();
      }
    }
    assertThat(passed(MOMENT)).as("poll after the last question").isEqualTo(1);
    assertThat(hints).hasValue(Poller.ASKS);
  }

  @Test
  void a_claim_granted_before_its_first_poll_learns_of_it_by_its_only_request() {
    Claim holder = Ask.mutex("lock");
    Ask.join(others, holder);
    Claim next = waitingBehind("lock");
    Ask.leave(others, holder);

    assertThat(passed(PollInterval.FIRST)).isZero();
    assertThat(hints).hasValue(1);
    assertThat(cost(() -> assertThat(Ask.refresh(store(), next)).isInstanceOf(Granted.class)))
        .isEqualTo(1);

    assertThat(passed(PollInterval.SLOW)).isZero();
    assertThat(hints).hasValue(1);
  }

  @Test
  void one_further_behind_is_asked_once_and_polled_then() {
    Ask.join(others, Ask.mutex("lock"));
    Ask.queue(others, Ask.mutex("lock"));
    Claim behind = waitingBehind("lock");

    assertThat(passed(PollInterval.FIRST.multipliedBy(2).minus(MOMENT))).as("too soon").isZero();
    assertThat(passed(MOMENT)).as("poll instead of the first look").isZero();
    assertThat(hints).hasValue(1);
    assertThat(cost(() -> assertThat(Ask.refresh(store(), behind)).isEqualTo(new Queued(2))))
        .isEqualTo(1);

    assertThat(passed(PollInterval.STEP.multipliedBy(2))).as("poll").isEqualTo(1);
    assertThat(hints).hasValue(1);
  }

  @Test
  void those_that_are_due_together_are_polled_together() {
    for (int i = 0; i < 5; i++) {
      waiting("lock " + i);
    }

    // A text that is new to the connection may have to be prepared first.
    assertThat(passed(PollInterval.FIRST)).isBetween(1, 2);
    assertThat(hints).hasValue(0);
  }

  @Test
  void a_claim_that_is_due_while_another_was_asked_to_refresh_is_polled() {
    waiting("lock");
    assertThat(passed(MOMENT)).isZero();
    waiting("other lock");

    assertThat(passed(PollInterval.FIRST.minus(MOMENT))).isZero();
    assertThat(hints).hasValue(1);
    assertThat(passed(MOMENT)).isEqualTo(1);
    assertThat(hints).hasValue(1);
  }

  @Test
  void a_client_that_was_asked_to_refresh_and_did_not_is_polled() {
    Claim next = waiting("lock");
    passed(PollInterval.FIRST);
    assertThat(hints).hasValue(1);

    assertThat(passed(PollInterval.STEP)).isEqualTo(1);

    assertThat(cost(() -> Ask.refresh(store(), next))).isEqualTo(1);
  }

  /** The last first look came too soon, so nothing is taken for granted of the next. */
  private void guessWrong() {
    Claim waiter = waiting("guessed wrong");
    passed(PollInterval.FIRST);
    assertThat(Ask.refresh(store(), waiter)).isEqualTo(new Queued(1));
    Ask.leave(store(), waiter);
    Claim alone = Ask.mutex("alone again");
    taken(alone);
    left(alone);
    hints.set(0);
  }

  /** A claim that waits for a holder of another client. */
  private Claim waiting(String lock) {
    assertThat(Ask.join(others, Ask.mutex(lock))).isInstanceOf(Granted.class);
    return waitingBehind(lock);
  }

  private Claim waitingBehind(String lock) {
    Claim claim = Ask.mutex(lock);
    var unused = store().observe(lock, hints::incrementAndGet);
    queued(claim);
    return claim;
  }

  /** Round trips that are made when so much time passes. */
  private int passed(Duration time) {
    int ofWaiting = 1;
    return cost(
            () -> {
              ticker().advance(time);
              Ask.of(store().inspect("behind what the ticker handed over"));
            })
        - ofWaiting;
  }
}
