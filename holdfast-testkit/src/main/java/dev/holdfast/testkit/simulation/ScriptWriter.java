package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.simulation.Step.Ask;
import dev.holdfast.testkit.simulation.Step.Befall;
import dev.holdfast.testkit.simulation.Step.Comeback;
import dev.holdfast.testkit.simulation.Step.Deed;
import dev.holdfast.testkit.simulation.Step.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Draws the steps of a {@link Script}. Not thread-safe. */
final class ScriptWriter {

  private static final long SECOND = 1_000_000_000;

  private final SplittableRandom random;
  private final Setting setting;
  private final boolean canForget;
  private final List<Construct> constructs;
  private final List<Step> steps = new ArrayList<>();

  ScriptWriter(SplittableRandom random, Setting setting, boolean canForget) {
    this.random = random;
    this.setting = setting;
    this.canForget = canForget;
    this.constructs = setting.constructs().stream().sorted().toList();
  }

  Script write(long seed) {
    long length = setting.length().toNanos();
    long every = setting.every().toNanos();
    for (long at = 0; at < length; at += random.nextLong(2 * every)) {
      int burst = random.nextInt(8) == 0 ? 4 : 1; // several at the same moment now and then
      Construct construct = constructs.get(random.nextInt(constructs.size()));
      for (int i = 0; i < burst; i++) {
        ask(at + random.nextLong(SECOND / 20), construct);
      }
    }
    new Scenes(random, setting, steps).write(length);
    long faults = setting.faults().toNanos();
    for (long at = 0; faults > 0 && at < length; at += random.nextLong(2 * faults)) {
      fault(at);
    }
    steps.sort(Comparator.comparingLong(Step::at));
    return new Script(seed, steps);
  }

  private void ask(long at, Construct construct) {
    int client = random.nextInt(setting.clients());
    if (construct == Construct.LEADER) {
      int drawn = random.nextInt(10);
      Event event = drawn < 7 ? Event.STAND : drawn < 9 ? Event.RESIGN : Event.STAND_NO_MORE;
      steps.add(new Befall(at, client, event, Weather.CALM, 0));
      return;
    }
    boolean own = construct == Construct.MUTEX && random.nextInt(4) == 0;
    Deed deed = own ? Deed.REENTER : deed(construct);
    boolean detaches = deed == Deed.DETACH;
    long hold = hold();
    long minHold =
        random.nextInt(8) == 0 && construct != Construct.SEVERAL ? random.nextLong(20 * SECOND) : 0;
    long ttl = setting.ttl().toNanos();
    long maxHold = random.nextInt(6) == 0 ? ttl + random.nextLong(ttl) : 0;
    steps.add(
        new Ask(
            at,
            client,
            construct,
            locks(construct, own),
            1 + random.nextInt(3) / 2,
            own ? 0 : limit(),
            hold,
            minHold,
            maxHold,
            !detaches && random.nextInt(4) > 0,
            own || random.nextInt(10) > 0 ? 0 : 1 + random.nextLong(6 * SECOND),
            deed,
            Comeback.NEVER,
            random.nextLong()));
  }

  private Deed deed(Construct construct) {
    return switch (random.nextInt(12)) {
      case 0 -> Deed.RENEW;
      case 1 -> Deed.EXTEND;
      case 2 -> construct == Construct.WRITE ? Deed.DOWNGRADE : Deed.NONE;
      case 3 -> construct == Construct.MUTEX ? Deed.DETACH : Deed.NONE;
      default -> Deed.NONE;
    };
  }

  private List<String> locks(Construct construct, boolean own) {
    boolean mistaken =
        !own
            && construct == Construct.MUTEX
            && constructs.contains(Construct.PERMIT)
            && random.nextInt(40) == 0;
    if (mistaken) {
      return List.of("gateway"); // a mistake: it is a semaphore to others
    }
    return switch (construct) {
      case READ, WRITE -> List.of("document");
      case PERMIT -> List.of("gateway");
      case SEVERAL -> List.of("red", "green", "blue").subList(random.nextInt(2), 3);
      default -> List.of(own ? own() : random.nextBoolean() ? "red" : "black");
    };
  }

  private String own() {
    boolean reads = constructs.contains(Construct.READ) && random.nextInt(3) == 0;
    return reads ? Script.OWN_PAGES : Script.OWN;
  }

  private long limit() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextLong(20 * SECOND);
      case 2 -> SECOND / 2 + random.nextLong(SECOND);
      default -> Ask.FOR_EVER;
    };
  }

  private long hold() {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong(60 * SECOND); // longer than any one renewal lasts
      case 1, 2 -> random.nextLong(8 * SECOND);
      default -> random.nextLong(SECOND / 5);
    };
  }

  private void fault(long at) {
    int client = random.nextInt(setting.clients());
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> weather(at, client, Weather.STORM, 120);
      case 3 -> weather(at, client, Weather.CUT_OFF, 60);
      case 4 -> weather(at, client, Weather.MUTE, 40);
      case 5 -> weather(at, client, Weather.SLOW, 60);
      case 6 -> weather(at, client, Weather.NO_HINTS, 60);
      case 7 -> befall(at, client, Event.PAUSE, random.nextLong(60 * SECOND));
      case 8 -> befall(at, client, Event.SLEEP, random.nextLong(90 * SECOND));
      case 9 -> befall(at, client, Event.WALL_JUMP, random.nextLong(-600 * SECOND, 600 * SECOND));
      case 10, 11 -> befall(at, client, Event.CRASH, random.nextLong(20 * SECOND));
      case 12 -> befall(at, client, Event.CLOSE, random.nextLong(5 * SECOND));
      case 13 -> steps.add(new Step.Break(at, anyLock()));
      case 14 -> { // the store is away for everybody
        long length = random.nextLong(40 * SECOND);
        for (int i = 0; i < setting.clients(); i++) {
          steps.add(new Befall(at, i, Event.WEATHER, Weather.CUT_OFF, length));
        }
      }
      default -> {
        if (canForget && random.nextInt(3) == 0) {
          steps.add(new Step.Forget(at));
        }
      }
    }
  }

  private void weather(long at, int client, Weather weather, int seconds) {
    steps.add(new Befall(at, client, Event.WEATHER, weather, random.nextLong(seconds * SECOND)));
  }

  private void befall(long at, int client, Event event, long length) {
    steps.add(new Befall(at, client, event, Weather.CALM, length));
  }

  private String anyLock() {
    return Script.LOCKS.get(random.nextInt(Script.LOCKS.size()));
  }
}
