package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.Verb;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/**
 * A lock that a client keeps coming back to stays with it while nobody else wants it, and goes to
 * the client that does.
 */
public abstract class KeptClaimRules extends EngineRules {

  /** As long as there is, so that a slow machine comes back in time. */
  private static final Duration LONG = Duration.ofSeconds(10);

  private static final Duration SHORT = Duration.ofMillis(100);

  /** How many acquisitions are made in a row, far fewer than there are spare tokens. */
  private static final int MANY = 200;

  private static final int SOME = 10;

  /** What it takes to join, to learn that the owner has left, and to look now and then. */
  private static final int FEW_REQUESTS = 20;

  private static final int TURNS = 60;

  // ---------------------------------------------------------------- one client

  @Test
  void a_client_that_keeps_coming_back_needs_no_request_and_its_tokens_rise() throws Exception {
    FaultyClient counted = scene().faulty();
    whereKept(
        counted,
        () -> {
          DistributedLock lock = counted.locks().lock(name, often());
          List<Long> tokens = new ArrayList<>();

          scene().eventually("it needs no request", () -> requestsFor(MANY, counted, tokens) == 0);

          assertThat(tokens).isSorted().doesNotHaveDuplicates();
          assertThat(lock.acquire().token()).isGreaterThan(tokens.get(tokens.size() - 1));
        });
  }

  private long requestsFor(int acquisitions, FaultyClient counted, List<Long> tokens) {
    long before = counted.store().calls(Verb.JOIN) + counted.store().calls(Verb.LEAVE);
    comeBack(counted.locks().lock(name, often()), acquisitions, tokens);
    return counted.store().calls(Verb.JOIN) + counted.store().calls(Verb.LEAVE) - before;
  }

  private void comeBack(DistributedLock lock, int times, List<Long> tokens) {
    for (int i = 0; i < times; i++) {
      Lease lease = scene().resultInTime(lock.acquireAsync());
      assertThat(lease.isValid()).isTrue();
      tokens.add(lease.token());
      release(lease);
    }
  }

  @Test
  void a_lock_that_is_used_once_is_free_after_its_release() throws Exception {
    Lease once = a.lock(name, often()).acquire();
    assertThat(b.inspect(name).holders()).noneMatch(ClaimInfo::keepable);

    release(once);

    assertThat(b.inspect(name).isHeld()).isFalse();
  }

  @Test
  void nothing_is_kept_for_longer_than_the_options_say() throws Exception {
    whereKept(
        scene().faulty(),
        () -> {
          keep(a, often().keepIdle(SHORT));

          Duration took = scene().timeUntil("it is free", () -> !b.inspect(name).isHeld());

          if (scene().drivesClock()) {
            assertThat(took).isLessThan(SHORT.multipliedBy(2));
          }
        });
  }

  @Test
  void a_closed_client_has_kept_nothing() throws Exception {
    FaultyClient closing = scene().faulty();
    whereKept(
        closing,
        () -> {
          keep(closing.locks(), often());

          closing.locks().close();

          LockInfo info = b.inspect(name);
          assertThat(info.isHeld()).isFalse();
          assertThat(info.waiters()).isEmpty();
        });
  }

  @Test
  void a_kept_claim_that_was_broken_is_joined_again() throws Exception {
    FaultyClient counted = scene().faulty();
    whereKept(
        counted,
        () -> {
          long last = keep(counted.locks(), often());
          long joins = counted.store().calls(Verb.JOIN);

          assertThat(b.breakLock(name)).isTrue();

          // Until it learns of the break it may grant itself the claim: only a fence tells.
          scene()
              .eventually(
                  "it joins again",
                  () -> {
                    // Not released but lost, if it learns of the break while it holds.
                    scene().resultInTime(acquire(counted.locks(), often())).close();
                    return counted.store().calls(Verb.JOIN) > joins;
                  });
          Lease next = scene().resultInTime(acquire(counted.locks(), often()));
          assertThat(next.token()).isGreaterThan(last);
          assertThat(b.inspect(name).isHeld()).isTrue();
        });
  }

  // ---------------------------------------------------------------- what is never kept

  @Test
  void nothing_is_kept_where_the_options_do_not_allow_it() throws Exception {
    neverKept(often().keepIdle(Duration.ZERO));
    neverKept(often().handOff(false));
    neverKept(often().maxHold(Duration.ofHours(1)));
    if (scene().traits().lingers()) {
      neverKept(often().minHold(Duration.ofMillis(1)));
    }
  }

  private void neverKept(LockOptions options) {
    name = scene().name();
    FaultyClient counted = scene().faulty();
    neverKept(counted, counted.locks().lock(name, options));
  }

  @Test
  void what_readers_share_is_never_kept() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          FaultyClient counted = scene().faulty();
          neverKept(counted, counted.locks().readWriteLock(name, often()).readLock());
        });
  }

  private void neverKept(FaultyClient counted, DistributedLock lock) {
    for (int i = 1; i <= SOME; i++) {
      Lease lease = scene().resultInTime(lock.acquireAsync());
      assertThat(b.inspect(name).holders()).hasSize(1).noneMatch(ClaimInfo::keepable);
      release(lease);
      assertThat(counted.store().calls(Verb.LEAVE)).as("leaves").isEqualTo(i);
    }
  }

  // ---------------------------------------------------------------- another client

  @Test
  void another_client_that_waits_gets_a_kept_lock_within_a_few_requests() throws Exception {
    FaultyClient other = scene().faulty();
    whereKept(
        other,
        () -> {
          long last = keep(a, often());

          Lease lease = scene().result(acquire(other.locks(), often()));

          assertThat(lease.token()).isGreaterThan(last);
          assertThat(requests(other)).isLessThan(FEW_REQUESTS);
        });
  }

  @Test
  void another_client_that_waits_for_a_while_gets_a_kept_lock_within_a_few_requests()
      throws Exception {
    FaultyClient other = scene().faulty();
    whereKept(
        other,
        () -> {
          long last = keep(a, often());

          Lease lease = scene().result(other.locks().lock(name, often()).tryAcquireAsync(LONG));

          assertThat(lease).isNotNull();
          assertThat(lease.token()).isGreaterThan(last);
          assertThat(requests(other)).isLessThan(FEW_REQUESTS);
        });
  }

  @Test
  void another_client_that_tries_gets_a_kept_lock() throws Exception {
    FaultyClient other = scene().faulty();
    whereKept(
        other,
        () -> {
          long last = keep(a, often());

          Lease lease = tried(other.locks());

          assertThat(lease.token()).isGreaterThan(last);
          if (scene().drivesClock()) {
            assertThat(requests(other)).isLessThan(FEW_REQUESTS);
          }
        });
  }

  /** On a real clock the owner may be too slow to give it back to the first try. */
  private Lease tried(Holdfast client) {
    List<Lease> got = new ArrayList<>();
    if (scene().drivesClock()) {
      Lease lease = scene().result(client.lock(name).tryAcquireAsync());
      assertThat(lease).as("what a try gets, though the owner could give it back").isNotNull();
      return lease;
    }
    scene()
        .eventually(
            "a try gets the lock",
            () -> {
              Lease lease = scene().result(client.lock(name).tryAcquireAsync());
              if (lease != null) {
                got.add(lease);
              }
              return lease != null;
            });
    return got.get(0);
  }

  @Test
  void a_try_is_busy_where_a_kept_lock_is_held_again() throws Exception {
    FaultyClient other = scene().faulty();
    whereKept(
        other,
        () -> {
          keep(a, often());
          Lease held = scene().result(acquire(a, often()));

          Lease lease = scene().resultInTime(other.locks().lock(name).tryAcquireAsync());

          assertThat(lease).isNull();
          assertThat(b.inspect(name).waiters()).isEmpty();
          assertThat(held.isValid()).isTrue();
          assertThat(requests(other)).isLessThan(FEW_REQUESTS);
          release(held);
          scene().soon("it is free", () -> isFree(b));
        });
  }

  // ---------------------------------------------------------------- fairness

  /** Each holder waits until the other client wants the lock, so that no slow machine counts. */
  @Test
  void of_clients_that_always_want_the_lock_none_gets_more_than_twice_the_turns_of_another()
      throws Exception {
    whereKept(
        scene().faulty(),
        () -> {
          AtomicIntegerArray turns = new AtomicIntegerArray(2);
          AtomicInteger all = new AtomicInteger();
          List<CompletableFuture<Boolean>> ends = new ArrayList<>();
          ends.add(scene().inThread(() -> takeTurns(a, 0, turns, all)).result());
          for (int i = 0; i < 4; i++) {
            ends.add(scene().inThread(() -> takeTurns(b, 1, turns, all)).result());
          }

          for (CompletableFuture<Boolean> end : ends) {
            assertThat(scene().resultInTime(end)).isTrue();
          }

          int most = Math.max(turns.get(0), turns.get(1));
          assertThat(most).as("turns: %s", turns).isLessThanOrEqualTo(TURNS * 2 / 3 + 1);
        });
  }

  private boolean takeTurns(
      Holdfast client, int number, AtomicIntegerArray turns, AtomicInteger all)
      throws InterruptedException {
    DistributedLock lock = client.lock(name);
    while (all.get() < TURNS) {
      try (Lease lease = lock.acquire()) {
        assertThat(lease.isValid()).isTrue();
        if (all.get() < TURNS) {
          scene().soon("the other one waits, and this one knows", () -> isTold(client, all));
          turns.incrementAndGet(number);
          all.incrementAndGet();
        }
      }
    }
    return true;
  }

  private boolean isTold(Holdfast client, AtomicInteger all) {
    LockInfo info = client.inspect(name);
    boolean waits = !info.waiters().isEmpty() || all.get() == TURNS;
    return waits && info.holders().stream().noneMatch(ClaimInfo::keepable);
  }

  // ---------------------------------------------------------------- what the tests work with

  private LockOptions often() {
    return scene().lasting().keepIdle(LONG);
  }

  private CompletableFuture<Lease> acquire(Holdfast client, LockOptions options) {
    return client.lock(name, options).acquireAsync();
  }

  /** Comes back until a claim stays; returns the last token. */
  private long keep(Holdfast client, LockOptions options) {
    List<Long> tokens = new ArrayList<>();
    scene()
        .eventually(
            "a claim is kept",
            () -> {
              comeBack(client.lock(name, options), SOME, tokens);
              return b.inspect(name).holders().stream().anyMatch(ClaimInfo::keepable);
            });
    return tokens.get(tokens.size() - 1);
  }

  private static long requests(FaultyClient client) {
    return client.store().calls(Verb.JOIN)
        + client.store().calls(Verb.REFRESH)
        + client.store().calls(Verb.LEAVE);
  }

  /** For stores that tell a holder that others want the lock; for any other a release is one. */
  private void whereKept(FaultyClient counted, Body body) throws Exception {
    if (scene().traits().tellsHolders()) {
      body.run();
    } else {
      neverKept(counted, counted.locks().lock(name, often()));
    }
  }
}
