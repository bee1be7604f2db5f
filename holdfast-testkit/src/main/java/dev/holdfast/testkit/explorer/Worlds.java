package dev.holdfast.testkit.explorer;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.explorer.World.Incident;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The worlds that are explored in every test run, from small ones deep to large ones shallow. */
public final class Worlds {

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofMillis(1_500);
  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(World.TTL);

  private Worlds() {}

  /** All of them. */
  public static List<World> all() {
    return Stream.of(requests(), HoldWorlds.all(), KeptWorlds.all()).flatMap(List::stream).toList();
  }

  /** Those that are about requests: callers that ask, wait and release. */
  private static List<World> requests() {
    return List.of(
        World.of("one caller", Kind.MUTEX, 1, Wish.within(0, SHORT))
            .withFaults(2)
            .with(Incident.CANCEL, Incident.BREAK, Incident.CLOSE, Incident.REFUSE_ALL)
            .deviating(3),
        World.of("one try", Kind.MUTEX, 1, Wish.trying(0))
            .withFaults(2)
            .with(Incident.CANCEL, Incident.CUT_OFF, Incident.CLOSE)
            .deviating(3),
        World.of("two clients", Kind.MUTEX, 1, Wish.waiting(0), Wish.within(1, SHORT))
            .withFaults(2)
            .with(Incident.CANCEL, Incident.BREAK, Incident.CUT_OFF)
            .deviating(2),
        World.of("two clients end", Kind.MUTEX, 1, Wish.waiting(0), Wish.within(1, LONG))
            .withFaults(1)
            .with(Incident.CLOSE, Incident.REFUSE_ALL, Incident.RAISE_FLOOR)
            .deviating(2),
        World.of("one client twice", Kind.MUTEX, 1, Wish.waiting(0), Wish.within(0, SHORT))
            .withFaults(1)
            .with(Incident.CANCEL, Incident.BREAK, Incident.CLOSE, Incident.RAISE_FLOOR)
            .deviating(2),
        World.of("no hand-off", Kind.MUTEX, 1, Wish.waiting(0), Wish.waiting(0), Wish.trying(0))
            .with(OPTIONS.handOff(false))
            .withFaults(1)
            .with(Incident.BREAK, Incident.CANCEL)
            .deviating(2),
        World.of("limited holds", Kind.MUTEX, 1, Wish.waiting(0), Wish.waiting(0), Wish.waiting(1))
            .with(OPTIONS.maxHold(Duration.ofMillis(1_200)))
            .withFaults(1)
            .with(Incident.CUT_OFF)
            .deviating(2),
        World.of(
                "two clients, two callers each",
                Kind.MUTEX,
                1,
                Wish.waiting(0),
                Wish.within(1, SHORT),
                Wish.within(0, LONG),
                Wish.trying(1))
            .withFaults(1)
            .with(Incident.CANCEL, Incident.BREAK, Incident.CLOSE)
            .deviating(2),
        World.of(
                "readers and a writer",
                Kind.READ_WRITE,
                1,
                Wish.waiting(0),
                Wish.waiting(1).weighing(2),
                Wish.within(0, SHORT),
                Wish.waiting(1))
            .withFaults(1)
            .with(Incident.CANCEL, Incident.CLOSE)
            .deviating(2),
        World.of(
                "a reader and a writer in trouble",
                Kind.READ_WRITE,
                1,
                Wish.waiting(0),
                Wish.waiting(1).weighing(2))
            .withFaults(1)
            .with(Incident.BREAK, Incident.CUT_OFF, Incident.REFUSE_ALL, Incident.RAISE_FLOOR)
            .deviating(2),
        World.of(
                "permits",
                Kind.SEMAPHORE,
                2,
                Wish.waiting(0),
                Wish.waiting(1).weighing(2),
                Wish.within(0, SHORT),
                Wish.trying(1))
            .withFaults(1)
            .with(Incident.CANCEL, Incident.CUT_OFF)
            .deviating(2),
        World.of(
                "permits in trouble",
                Kind.SEMAPHORE,
                2,
                Wish.waiting(0),
                Wish.waiting(1).weighing(2))
            .withFaults(1)
            .with(Incident.BREAK, Incident.CLOSE, Incident.REFUSE_ALL, Incident.RAISE_FLOOR)
            .deviating(2));
  }

  /** The one of this name. */
  public static World named(String name) {
    return all().stream()
        .filter(world -> world.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no world '" + name + "'"));
  }
}
