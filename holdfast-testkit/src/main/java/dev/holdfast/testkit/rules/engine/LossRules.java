package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.Registration;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.Verb;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A lease that is over says so before another holder can have the lock. */
public abstract class LossRules extends EngineRules {

  /** Pitfall 2: the refresh hangs, and the loss is reported all the same. */
  @Test
  void a_holder_that_is_cut_off_knows_its_loss_before_the_next_one_is_granted() throws Exception {
    FaultyClient cut = scene().faulty();
    Lease lease = brief(cut.locks()).acquire();
    AtomicLong toldAt = new AtomicLong();
    lease.onLost(() -> toldAt.set(scene().nanoTime()), Runnable::run);
    AtomicBoolean overlap = new AtomicBoolean();
    CompletableFuture<Lease> next =
        b.lock(name)
            .acquireAsync()
            .whenComplete((granted, failure) -> overlap.set(lease.isValid()));

    cut.store().faults(Faults.cutOff());
    Lease other = scene().resultInTime(next);

    assertThat(overlap).as("both leases called themselves valid").isFalse();
    assertThat(other.token()).isGreaterThan(lease.token());
    scene().soon("the loss is reported", () -> toldAt.get() != 0);
    if (scene().drivesClock()) {
      assertThat(scene().nanoTime() - toldAt.get())
          .as("time from the loss to the next")
          .isPositive();
    }
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> lease.ensure(Duration.ofMillis(1)))
        .isInstanceOf(LeaseLostException.class);
    cut.store().faults(Faults.none());
  }

  /** Pitfall 1. */
  @Test
  void failed_renewals_are_repeated_until_one_succeeds() throws Exception {
    FaultyClient cut = scene().faulty();
    LockOptions options = scene().brief().ttl(scene().brief().ttl().multipliedBy(4));
    Lease lease = cut.locks().lock(name, options).acquire();
    cut.store().faults(Faults.failing().on(Verb.REFRESH));
    long failed = cut.store().calls(Verb.REFRESH);
    scene().eventually("renewals fail", () -> cut.store().calls(Verb.REFRESH) >= failed + 2);
    cut.store().faults(Faults.none());

    scene().pass(options.ttl().multipliedBy(2));

    assertThat(lease.isValid()).isTrue();
    assertThat(isFree(b)).isFalse();
    assertThat(lease.release()).isTrue();
  }

  @Test
  void a_lease_is_in_jeopardy_before_it_is_lost() throws Exception {
    FaultyClient cut = scene().faulty();
    Lease lease = brief(cut.locks()).acquire();
    if (scene().drivesClock()) {
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    cut.store().faults(Faults.cutOff());

    AtomicBoolean jeopardy = new AtomicBoolean();
    scene()
        .eventually(
            "the lease is lost",
            () -> {
              LeaseState state = lease.state();
              if (state == LeaseState.JEOPARDY) {
                jeopardy.set(true);
              }
              return state == LeaseState.LOST;
            });
    if (scene().drivesClock()) {
      assertThat(jeopardy).isTrue();
    }
    cut.store().faults(Faults.none());
  }

  @Test
  void a_broken_lock_is_lost_to_its_holder() throws Exception {
    Lease lease = brief(a).acquire();
    AtomicInteger reported = new AtomicInteger();
    lease.onLost(reported::incrementAndGet);

    assertThat(b.breakLock(name)).isTrue();
    Lease next = b.lock(name).acquire();

    scene().eventually("the loss is reported", () -> reported.get() == 1);
    assertThat(lease.isValid()).isFalse();
    assertThat(next.isValid()).isTrue();
    assertThat(lease.release()).isFalse();
    assertThat(next.isValid()).isTrue();
    assertThat(b.inspect(name).holders()).hasSize(1);
  }

  @Test
  void an_action_for_the_loss_runs_at_once_if_the_loss_has_come() throws Exception {
    Lease lease = a.lock(name).acquire();
    b.breakLock(name);
    assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
    AtomicInteger reported = new AtomicInteger();

    lease.onLost(reported::incrementAndGet);

    scene().soon("the action runs", () -> reported.get() == 1);
  }

  @Test
  void an_action_for_the_loss_never_runs_if_the_lease_is_released_or_the_action_taken_back()
      throws Exception {
    AtomicInteger reported = new AtomicInteger();
    AtomicInteger other = new AtomicInteger();
    Lease released = brief(a).acquire();
    released.onLost(reported::incrementAndGet);
    released.close();
    released.onLost(reported::incrementAndGet);
    Lease lost = brief(a).acquire();
    Registration takenBack = lost.onLost(reported::incrementAndGet);
    takenBack.close();
    lost.onLost(other::incrementAndGet);
    b.breakLock(name);

    scene().eventually("the loss is reported", () -> other.get() == 1);

    assertThat(reported).hasValue(0);
  }

  /** Pitfall 35. */
  @Test
  void an_action_that_throws_disturbs_nobody() throws Exception {
    Lease lease = brief(a).acquire();
    Lease other = a.lock(scene().name(), scene().brief()).acquire();
    AtomicInteger reported = new AtomicInteger();
    lease.onLost(
        () -> {
          throw new IllegalStateException("on purpose");
        });
    lease.onLost(reported::incrementAndGet);

    b.breakLock(name);

    scene().eventually("the loss is reported", () -> reported.get() == 1);
    scene().pass(scene().brief().ttl().multipliedBy(2));
    // A machine that stalls can lose it before it is renewed: not time and again.
    for (int again = 0; again < 5 && !scene().drivesClock() && !other.isValid(); again++) {
      other = a.lock(scene().name(), scene().brief()).acquire();
      scene().pass(scene().brief().ttl().multipliedBy(2));
    }
    assertThat(other.isValid()).as("another lease is still renewed").isTrue();
  }

  /** DESIGN's rule on time: a machine that slept has lost its leases. */
  @Test
  void wall_time_that_ran_ahead_ends_a_lease_for_good() throws Exception {
    ManualTicker ticker = scene().fixture().ticker().orElseGet(ManualTicker::new);
    try (var client = scene().client(builder -> builder.ticker(ticker))) {
      Lease lease = client.lock(name).acquire();

      ticker.jumpWall(Duration.ofHours(-1));
      assertThat(lease.isValid()).as("valid after a step back").isTrue();
      ticker.jumpWall(Duration.ofHours(1));
      assertThat(lease.isValid()).as("valid after a step ahead of no more than that").isTrue();
      ticker.jumpWall(Duration.ofHours(1));

      assertThat(lease.isValid()).isFalse();
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      ticker.jumpWall(Duration.ofHours(-1));
      assertThat(lease.state()).as("state after the clock was set back").isEqualTo(LeaseState.LOST);
      assertThat(lease.isValid()).as("valid after the clock was set back").isFalse();
    }
  }

  /**
   * Pitfalls 2 and 28: whatever else the executor is asked to do, the loss must be reported in
   * time.
   */
  @Test
  void a_waiter_that_times_out_does_not_hold_up_the_news_of_a_loss() throws Exception {
    ExecutorService single = Executors.newSingleThreadExecutor();
    try {
      FaultyClient cut = scene().faulty(builder -> builder.executor(single));
      String other = scene().name();
      b.lock(other).acquire();
      Lease lease = brief(cut.locks()).acquire();
      AtomicBoolean reported = new AtomicBoolean();
      lease.onLost(() -> reported.set(true));
      CompletableFuture<Lease> waiter =
          cut.locks().lock(other).acquireAsync(scene().brief().ttl().dividedBy(4));
      cut.store().faults(Faults.cutOff());

      scene().eventually("the lease is lost", () -> lease.state() == LeaseState.LOST);

      scene().soon("the loss is reported", reported::get);
      scene().eventually("the waiter gets its outcome", waiter::isDone);
      cut.store().faults(Faults.none());
    } finally {
      single.shutdownNow();
    }
  }

  @Test
  void a_lease_ends_with_its_longest_hold_although_it_is_renewed() throws Exception {
    Duration longest = scene().brief().ttl().multipliedBy(3);
    LockOptions options = scene().brief().maxHold(longest);
    LongHold hold = holdTooLong(options);
    // A machine that stalls can lose it before it is renewed: not time and again.
    for (int again = 0;
        again < 5 && !scene().drivesClock() && hold.endedLongBefore(longest);
        again++) {
      hold = holdTooLong(options);
    }

    assertThat(hold.length).isGreaterThanOrEqualTo(options.ttl().multipliedBy(2));
    if (scene().drivesClock()) {
      Duration retry = scene().traits().fair() ? Duration.ofMillis(50) : Duration.ofMillis(200);
      assertThat(hold.length).isBetween(longest, longest.plus(retry));
      assertThat(hold.reported).isLessThan(longest);
    }
  }

  /**
   * A lease that is never released.
   *
   * @param length until the store granted the next claim
   * @param reported when the holder's action ran
   */
  private record LongHold(Duration length, Duration reported) {

    /** Then something else has ended it. */
    boolean endedLongBefore(Duration time) {
      return length.compareTo(time.multipliedBy(2).dividedBy(3)) < 0;
    }
  }

  private LongHold holdTooLong(LockOptions options) throws InterruptedException {
    long start = scene().nanoTime();
    Lease lease = a.lock(name, options).acquire();
    AtomicLong toldAt = new AtomicLong();
    lease.onLost(() -> toldAt.set(scene().nanoTime()), Runnable::run);

    CompletableFuture<Lease> waiter = b.lock(name).acquireAsync();
    scene().eventually("the store grants the next claim", () -> holderToken() > lease.token());

    Duration length = Duration.ofNanos(scene().nanoTime() - start);
    assertThat(lease.isValid()).isFalse();
    scene().soon("the loss is reported", () -> toldAt.get() != 0);
    Lease next = scene().resultInTime(waiter);
    assertThat(next.isValid()).isTrue();
    release(next);
    return new LongHold(length, Duration.ofNanos(toldAt.get() - start));
  }

  private long holderToken() {
    return b.inspect(name).holders().stream().mapToLong(ClaimInfo::token).max().orElse(0);
  }

  /** Pitfall 3. */
  @Test
  void closing_a_lease_ends_its_renewal() throws Exception {
    FaultyClient counted = scene().faulty();
    Lease lease = renewed(counted);

    lease.close();

    long renewals = counted.store().calls(Verb.REFRESH);
    scene().pass(scene().brief().ttl().multipliedBy(2));
    assertThat(counted.store().calls(Verb.REFRESH)).isEqualTo(renewals);
    assertThat(isFree(b)).isTrue();
  }

  /** A machine that stalls can lose one before it is renewed. */
  private Lease renewed(FaultyClient counted) throws InterruptedException {
    while (true) {
      Lease lease = brief(counted.locks()).acquire();
      scene()
          .eventually(
              "it is renewed, or lost",
              () -> counted.store().calls(Verb.REFRESH) > 0 || lease.state() == LeaseState.LOST);
      if (counted.store().calls(Verb.REFRESH) > 0) {
        return lease;
      }
    }
  }

  @Test
  void closing_a_lost_lease_or_one_of_a_silent_store_does_not_throw() throws Exception {
    FaultyClient cut = scene().faulty();
    Lease lost = brief(a).acquire();
    b.breakLock(name);
    Lease silent = cut.locks().lock(scene().name()).acquire();
    cut.store().faults(Faults.failing());

    assertThatCode(lost::close).doesNotThrowAnyException();
    assertThatCode(silent::close).doesNotThrowAnyException();
    assertThat(silent.state()).isEqualTo(LeaseState.RELEASED);
    cut.store().faults(Faults.none());
    scene().eventually("the release is made up for", () -> isHeldNowhere(silent.lockName()));
  }

  private boolean isHeldNowhere(String lock) {
    return !b.inspect(lock).isHeld();
  }
}
