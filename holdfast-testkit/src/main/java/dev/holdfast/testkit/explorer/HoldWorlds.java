package dev.holdfast.testkit.explorer;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.explorer.World.Incident;
import java.time.Duration;
import java.util.List;

/** The worlds that are about holders: threads that re-enter, and leases that change or move. */
final class HoldWorlds {

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final LockOptions LIMITED =
      LockOptions.defaults().ttl(World.TTL).maxHold(Duration.ofMillis(1_200));

  private HoldWorlds() {}

  static List<World> all() {
    return List.of(
        World.of(
                "a thread re-enters",
                Kind.MUTEX,
                1,
                Wish.thread(0, 1).working(SHORT.multipliedBy(2)),
                Wish.thread(0, 1),
                Wish.waiting(1))
            .withFaults(1)
            .with(Incident.BREAK, Incident.CUT_OFF)
            .deviating(2),
        World.of(
                "a thread re-enters beside others",
                Kind.MUTEX,
                1,
                Wish.thread(0, 1),
                Wish.thread(0, 1),
                Wish.waiting(0),
                Wish.within(1, SHORT))
            .with(Incident.BREAK, Incident.CANCEL, Incident.RAISE_FLOOR)
            .deviating(2),
        World.of(
                "a nested minHold",
                Kind.MUTEX,
                1,
                Wish.thread(0, 1),
                Wish.thread(0, 1).keeping(SHORT.multipliedBy(2)),
                Wish.waiting(0),
                Wish.waiting(1))
            .with(Incident.BREAK)
            .deviating(2),
        World.of(
                "a writer reads inside",
                Kind.READ_WRITE,
                1,
                Wish.thread(0, 1).weighing(2),
                Wish.thread(0, 1).working(SHORT.multipliedBy(2)),
                Wish.waiting(1),
                Wish.waiting(1).weighing(2))
            .withFaults(1)
            .with(Incident.BREAK)
            .deviating(2),
        World.of(
                "two clients, two threads each",
                Kind.MUTEX,
                1,
                Wish.thread(0, 1),
                Wish.thread(0, 1),
                Wish.thread(0, 2),
                Wish.thread(1, 1),
                Wish.thread(1, 1),
                Wish.thread(1, 2))
            .withFaults(1)
            .with(Incident.BREAK, Incident.CLOSE)
            .deviating(2),
        World.of(
                "threads that read and write",
                Kind.READ_WRITE,
                1,
                Wish.thread(0, 1).weighing(2),
                Wish.thread(0, 1),
                Wish.thread(0, 2),
                Wish.thread(1, 1),
                Wish.thread(1, 2).weighing(2))
            .withFaults(1)
            .with(Incident.BREAK, Incident.CLOSE)
            .deviating(2),
        World.of(
                "permits of threads",
                Kind.SEMAPHORE,
                2,
                Wish.thread(0, 1),
                Wish.thread(0, 2),
                Wish.thread(1, 1).weighing(2),
                Wish.thread(1, 2))
            .withFaults(1)
            .with(Incident.BREAK, Incident.CLOSE)
            .deviating(2),
        World.of(
                "a lease moves",
                Kind.MUTEX,
                1,
                Wish.waiting(0).working(SHORT.multipliedBy(4)),
                Wish.waiting(1))
            .with(LIMITED)
            .withFaults(1)
            .with(Incident.DETACH, Incident.BREAK, Incident.CUT_OFF)
            .deviating(2),
        World.of(
                "a lease is extended",
                Kind.MUTEX,
                1,
                Wish.waiting(0).working(SHORT.multipliedBy(7)),
                Wish.waiting(1))
            .with(LIMITED)
            .withFaults(1)
            .with(Incident.EXTEND, Incident.REFUSE_ALL)
            .deviating(2),
        World.of(
                "a writer becomes a reader",
                Kind.READ_WRITE,
                1,
                Wish.waiting(0).weighing(2).working(SHORT),
                Wish.waiting(1),
                Wish.waiting(0).weighing(2))
            .withFaults(1)
            .with(Incident.DOWNGRADE, Incident.BREAK, Incident.REFUSE_ALL)
            .deviating(2));
  }
}
