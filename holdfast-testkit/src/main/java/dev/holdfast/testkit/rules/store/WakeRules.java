package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.Registration;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A claim whose turn may have come gets a hint; nothing depends on it. */
public abstract class WakeRules extends Rules {

  @Test
  void a_leave_wakes_the_next_in_line() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          a.granted(holder);
          AtomicInteger hints = waitWith(b, scene().mutex(lock));

          a.left(holder);

          scene().eventually("the hint arrives", () -> hints.get() > 0);
        });
  }

  @Test
  void the_death_of_the_holder_wakes_the_next_in_line() throws Exception {
    whereFair(
        () -> {
          Waiter waiter = waitBehindBriefHolder();
          Claim claim = waiter.claim;
          // Where death takes longer than a waiter lives, the waiter must be kept alive meanwhile.
          boolean slow =
              scene()
                      .brief()
                      .plus(scene().traits().expiryLag())
                      .multipliedBy(2)
                      .compareTo(claim.waitingTtl())
                  > 0;

          // A hint may be wrong, so one that came too soon is no reason to ask no more.
          scene()
              .eventually(
                  "a hint arrives and is right",
                  () -> (waiter.hints.getAndSet(0) > 0 || slow) && b.isGranted(claim));
        });
  }

  @Test
  void an_eviction_wakes_the_next_in_line() throws Exception {
    whereFair(
        () -> {
          a.granted(scene().mutex(lock));
          AtomicInteger hints = waitWith(b, scene().mutex(lock));

          a.evict(lock);

          scene().eventually("the hint arrives", () -> hints.get() > 0);
        });
  }

  @Test
  void a_big_waiter_that_gives_up_wakes_the_small_one_behind_it() throws Exception {
    whereFair(
        () ->
            whereKept(
                Kind.SEMAPHORE,
                () -> {
                  Claim big = scene().permits(lock, 3, 3);
                  a.granted(scene().permits(lock, 2, 3));
                  a.queued(big);
                  AtomicInteger hints = waitWith(b, scene().permits(lock, 1, 3));

                  a.left(big);

                  scene().eventually("the hint arrives", () -> hints.get() > 0);
                }));
  }

  /** A store that watches only the claim ahead misses the others. */
  @Test
  void the_leave_of_any_of_several_holders_wakes_the_next_in_line() throws Exception {
    whereFair(
        () ->
            whereKept(
                Kind.SEMAPHORE,
                () -> {
                  for (int leaver = 0; leaver < 3; leaver++) {
                    String name = scene().name();
                    List<Claim> holders = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                      holders.add(scene().permits(name, 1, 3));
                      a.granted(holders.get(i));
                    }
                    Claim next = scene().permits(name, 1, 3);
                    AtomicInteger hints = waitWith(b, next);
                    int before = hints.get();

                    a.left(holders.get(leaver));

                    scene().eventually("the hint arrives", () -> hints.get() > before);
                    b.holds(next);
                  }
                }));
  }

  /** Pitfall 11. */
  @Test
  void a_leave_does_not_wake_the_herd() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          a.granted(holder);
          AtomicInteger next = waitWith(b, scene().mutex(lock));
          List<AtomicInteger> others = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            others.add(waitWith(scene().client(), scene().mutex(lock)));
          }
          int before = sum(others);

          a.left(holder);
          scene().eventually("the hint arrives", () -> next.get() > 0);

          if (scene().traits().pushes()) {
            assertThat(sum(others)).as("hints to those whose turn has not come").isEqualTo(before);
          }
        });
  }

  @Test
  void the_end_of_a_linger_wakes_the_next_in_line_and_not_the_herd() throws Exception {
    whereFairAndLingering(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim next = scene().mutex(lock);
          a.granted(holder);
          AtomicInteger hints = waitWith(b, next);
          List<AtomicInteger> others = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            others.add(waitWith(scene().client(), scene().mutex(lock)));
          }
          int before = sum(others);

          a.linger(holder, scene().brief());

          awaitTurn(next, hints);
          if (scene().traits().pushes()) {
            assertThat(sum(others)).as("hints to those whose turn has not come").isEqualTo(before);
          }
        });
  }

  @Test
  void the_end_of_a_linger_wakes_a_waiter_that_came_after_the_release() throws Exception {
    whereFairAndLingering(
        () -> {
          Waiter waiter = waitBehindLinger();

          awaitTurn(waiter.claim, waiter.hints);
        });
  }

  /** The client that knew the end of the linger is gone. */
  @Test
  void the_end_of_a_linger_wakes_the_next_in_line_though_another_was_next_when_it_began()
      throws Exception {
    whereFairAndLingering(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim quitter = scene().mutex(lock);
          Claim next = scene().mutex(lock);
          a.granted(holder);
          a.queued(quitter);
          AtomicInteger hints = waitWith(b, next);

          a.linger(holder, scene().brief());
          a.left(quitter);

          awaitTurn(next, hints);
        });
  }

  @Test
  void the_end_of_one_linger_among_several_holders_wakes_the_next_in_line() throws Exception {
    whereFairAndLingering(
        () ->
            whereKept(
                Kind.SEMAPHORE,
                () -> {
                  Claim lingering = scene().permits(lock, 2, 3);
                  Claim brief = scene().permits(lock, 1, 3);
                  Claim second = scene().permits(lock, 1, 3);
                  Claim third = scene().permits(lock, 2, 3);
                  a.granted(lingering);
                  a.granted(brief);
                  a.queued(second);
                  AtomicInteger hints = waitWith(b, third);

                  a.linger(lingering, scene().brief());
                  a.left(brief); // grants the second; the third is next from now on

                  awaitTurn(third, hints);
                }));
  }

  @Test
  void a_closed_observer_is_left_in_peace() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          AtomicInteger closed = new AtomicInteger();
          AtomicInteger open = new AtomicInteger();
          Registration registration = b.observe(lock, closed::incrementAndGet);
          b.observe(lock, open::incrementAndGet);
          b.queued(waiter);
          registration.close();
          registration.close();
          int before = closed.get();

          a.left(holder);
          scene().eventually("the hint arrives", () -> open.get() > 0);

          assertThat(closed.get()).isEqualTo(before);
        });
  }

  @Test
  void nobody_waits_for_ever_when_hints_are_lost() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          b.queued(waiter);
          a.left(holder);

          b.holds(waiter);
        });
  }

  @Test
  void a_client_may_observe_a_lock_that_it_never_joins() {
    try (Registration registration = b.observe(lock, () -> {})) {
      a.granted(scene().mutex(lock));
    }
  }

  private AtomicInteger waitWith(Client client, Claim claim) {
    AtomicInteger hints = new AtomicInteger();
    client.observe(claim.lock(), hints::incrementAndGet);
    client.queued(claim);
    return hints;
  }

  private void whereFairAndLingering(Body body) throws Exception {
    whereLingers(() -> whereFair(body));
  }

  /** Asks only when hinted: a store that leaves it to the renewals of waiters never gets there. */
  private void awaitTurn(Claim claim, AtomicInteger hints) {
    scene()
        .eventually(
            "a hint arrives when the linger is over",
            () -> hints.getAndSet(0) > 0 && b.isGranted(claim));
  }

  /** Repeats, if this machine stalled until the holder was dead before the waiter came. */
  private Waiter waitBehindBriefHolder() {
    for (int i = 0; i < 10; i++) {
      String name = scene().name();
      AtomicInteger hints = new AtomicInteger();
      b.observe(name, hints::incrementAndGet);
      a.granted(scene().briefMutex(name));
      Claim claim = scene().mutex(name);
      if (b.queue(claim) instanceof Queued) {
        return new Waiter(claim, hints);
      }
    }
    throw new AssertionError("this machine stalls too often to be behind a brief holder");
  }

  /** Likewise, behind a linger. */
  private Waiter waitBehindLinger() {
    for (int i = 0; i < 10; i++) {
      String name = scene().name();
      Claim holder = scene().mutex(name);
      AtomicInteger hints = new AtomicInteger();
      b.observe(name, hints::incrementAndGet);
      a.granted(holder);
      a.linger(holder, scene().brief());
      Claim claim = scene().mutex(name);
      if (b.queue(claim) instanceof Queued) {
        return new Waiter(claim, hints);
      }
    }
    throw new AssertionError("this machine stalls too often to be behind a linger");
  }

  private record Waiter(Claim claim, AtomicInteger hints) {}

  private static int sum(List<AtomicInteger> counters) {
    return counters.stream().mapToInt(AtomicInteger::get).sum();
  }
}
