package dev.holdfast.testkit.explorer;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.explorer.World.Incident;
import java.time.Duration;
import java.util.List;

/** The worlds that begin with a claim that client 0 keeps, because it came back again and again. */
final class KeptWorlds {

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration MORE_THAN_A_SLICE = Duration.ofMillis(150);
  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(World.TTL);

  private KeptWorlds() {}

  static List<World> all() {
    return List.of(
        World.of("a try meets a kept claim", Kind.MUTEX, 1, Wish.trying(1))
            .keeping()
            .withFaults(2)
            .with(Incident.CANCEL, Incident.BREAK, Incident.CLOSE, Incident.CUT_OFF)
            .deviating(2),
        World.of(
                "a try and a comeback meet a kept claim",
                Kind.MUTEX,
                1,
                Wish.trying(1),
                Wish.waiting(0))
            .keeping()
            .withFaults(1)
            .with(Incident.BREAK, Incident.CLOSE, Incident.RAISE_FLOOR)
            .deviating(2),
        World.of(
                "two comebacks and a waiter",
                Kind.MUTEX,
                1,
                Wish.waiting(0),
                Wish.within(1, SHORT),
                Wish.trying(0))
            .keeping()
            .withFaults(1)
            .with(Incident.BREAK, Incident.CANCEL, Incident.CLOSE)
            .deviating(2),
        World.of(
                "a slice ends",
                Kind.MUTEX,
                1,
                Wish.waiting(0).working(MORE_THAN_A_SLICE),
                Wish.waiting(0).working(MORE_THAN_A_SLICE),
                Wish.waiting(0),
                Wish.within(1, SHORT))
            .keeping()
            .withFaults(1)
            .with(Incident.CUT_OFF, Incident.CANCEL)
            .deviating(2),
        World.of(
                "kept for longer than it is valid",
                Kind.MUTEX,
                1,
                Wish.waiting(0),
                Wish.trying(1),
                Wish.waiting(0))
            .with(OPTIONS.keepIdle(World.TTL.multipliedBy(5)))
            .keeping()
            .withFaults(1)
            .with(Incident.CUT_OFF, Incident.REFUSE_ALL)
            .deviating(2),
        World.of(
                "two clients try at a kept claim",
                Kind.MUTEX,
                1,
                Wish.trying(1),
                Wish.trying(2),
                Wish.within(1, SHORT))
            .keeping()
            .withFaults(1)
            .with(Incident.CANCEL, Incident.BREAK)
            .deviating(2),
        World.of(
                "a kept writer",
                Kind.READ_WRITE,
                1,
                Wish.trying(1),
                Wish.waiting(0),
                Wish.waiting(0).weighing(2),
                Wish.waiting(1).weighing(2))
            .keeping()
            .withFaults(1)
            .with(Incident.BREAK, Incident.CLOSE)
            .deviating(2),
        World.of(
                "a slice that does not yield",
                Kind.MUTEX,
                1,
                Wish.waiting(0),
                Wish.waiting(0),
                Wish.within(1, SHORT),
                Wish.trying(0))
            .with(OPTIONS.handOff(MORE_THAN_A_SLICE))
            .keeping()
            .withFaults(1)
            .with(Incident.CANCEL, Incident.CUT_OFF)
            .deviating(2));
  }
}
