package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.simulation.Step.Ask;
import dev.holdfast.testkit.simulation.Step.Befall;
import dev.holdfast.testkit.simulation.Step.Comeback;
import dev.holdfast.testkit.simulation.Step.Deed;
import dev.holdfast.testkit.simulation.Step.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws steps that belong together, for what steps drawn one by one hardly ever lead to. Not
 * thread-safe.
 */
final class Scenes {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final SplittableRandom random;
  private final Setting setting;
  private final List<Step> steps;
  private final List<String> busy = new ArrayList<>(); // what callers come back to

  Scenes(SplittableRandom random, Setting setting, List<Step> steps) {
    this.random = random;
    this.setting = setting;
    this.steps = steps;
    if (setting.constructs().contains(Construct.MUTEX)) {
      busy.addAll(List.of("red", "black"));
    }
    if (setting.constructs().contains(Construct.WRITE)) {
      busy.add("document");
    }
  }

  /** Adds scenes, in no order of time. */
  void write(long length) {
    long every = 30 * setting.every().toNanos();
    for (long at = random.nextLong(every); at < length; at += random.nextLong(2 * every)) {
      draw(at);
    }
  }

  private void draw(long at) {
    boolean mutex = setting.constructs().contains(Construct.MUTEX);
    switch (random.nextInt(8)) {
      case 0 -> {
        if (mutex && setting.constructs().contains(Construct.PERMIT)) {
          twoMistakes(at);
        }
      }
      case 1 -> {
        if (mutex) {
          attachesUnderABrokenClaim(at);
        }
      }
      case 2 -> {
        if (setting.constructs().contains(Construct.LEADER)) {
          befall(at, client(), Event.RETIRE, random.nextLong(5 * SECOND));
        }
      }
      default -> {
        if (!busy.isEmpty()) {
          comesBack(at);
        }
      }
    }
  }

  // ---------------------------------------------------------------- claims that are kept

  /** A caller comes back again and again; others want the lock meanwhile, or something happens. */
  private void comesBack(long at) {
    int client = client();
    String lock = busy.get(random.nextInt(busy.size()));
    Comeback comeback =
        switch (random.nextInt(3)) {
          case 0 -> comeback(80 * MILLI, Comeback.NEVER.keepIdle());
          case 1 -> comeback(SECOND, 2 * SECOND);
          default -> comeback(8 * SECOND, Setting.LONGEST_IDLE.toNanos());
        };
    long hold = random.nextLong(comeback.pause() / 2);
    ask(at, client, lock, Ask.FOR_EVER, hold, comeback);
    long span = comeback.times() * (comeback.pause() / 2 + hold);
    for (int i = random.nextInt(4); i > 0; i--) {
      long limit =
          switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> random.nextLong(2 * SECOND);
            default -> Ask.FOR_EVER;
          };
      long later = at + span / 4 + random.nextLong(span);
      ask(later, client(), lock, limit, random.nextLong(60 * MILLI), Comeback.NEVER);
    }
    if (random.nextBoolean()) {
      disturb(at + span / 4 + random.nextLong(span), client, lock);
    }
  }

  private Comeback comeback(long pause, long keepIdle) {
    long slice = random.nextBoolean() ? 1 + random.nextLong(10 * SECOND) : 0;
    return new Comeback(5 + random.nextInt(6), pause, keepIdle, slice);
  }

  private void disturb(long at, int client, String lock) {
    switch (random.nextInt(8)) {
      case 0 -> steps.add(new Step.Break(at, lock));
      case 1 -> befall(at, client, Event.CLOSE, SECOND);
      case 2 -> befall(at, client, Event.CRASH, SECOND);
      case 3 -> befall(at, client, Event.PAUSE, random.nextLong(40 * SECOND));
      case 4, 5 -> befall(at, client, Event.SLEEP, random.nextLong(90 * SECOND));
      case 6 -> weather(at, client, Weather.CUT_OFF, random.nextLong(40 * SECOND));
      default -> { // its claim is over before anything else tells it so
        befall(at, client, Event.WALL_JUMP, 60 * SECOND);
        befall(at + MILLI, client, Event.CLOSE, SECOND);
      }
    }
  }

  // ---------------------------------------------------------------- other scenes

  /** Two callers of a client take a semaphore for a mutex, and the first one does not wait. */
  private void twoMistakes(long at) {
    int client = client();
    steps.add(
        new Ask(
            at,
            (client + 1) % setting.clients(),
            Construct.PERMIT,
            List.of("gateway"),
            1,
            Ask.FOR_EVER,
            5 * SECOND,
            0,
            0,
            true,
            0,
            Deed.NONE,
            Comeback.NEVER,
            random.nextLong()));
    mistake(at + SECOND, client, 1 + random.nextLong(20 * MILLI));
    mistake(at + SECOND, client, 0);
  }

  private void mistake(long at, int client, long cancelAfter) {
    ask(at, client, "gateway", SECOND, SECOND, true, cancelAfter, Deed.NONE, random.nextLong());
  }

  /** A client attaches a lease while it believes in a claim of that lock that was broken. */
  private void attachesUnderABrokenClaim(long at) {
    int client = client();
    String lock = random.nextBoolean() ? "red" : "black";
    weather(at, client, Weather.NO_HINTS, 15 * SECOND);
    ask(at, client, lock, SECOND, 25 * SECOND, true, 0, Deed.NONE, random.nextLong());
    steps.add(new Step.Break(at + 2 * SECOND, lock));
    long seed = random.nextLong();
    while (Simulation.attachingClient(seed, setting) != client
        || Simulation.attachPause(seed, setting) > 3 * SECOND) {
      seed = random.nextLong();
    }
    int other = (client + 1) % setting.clients();
    ask(at + 3 * SECOND, other, lock, SECOND, SECOND, false, 0, Deed.DETACH, seed);
  }

  // ---------------------------------------------------------------- steps

  private int client() {
    return random.nextInt(setting.clients());
  }

  private void ask(long at, int client, String lock, long limit, long hold, Comeback comeback) {
    Construct construct = lock.equals("document") ? Construct.WRITE : Construct.MUTEX;
    steps.add(
        new Ask(
            at,
            client,
            construct,
            List.of(lock),
            1,
            limit,
            hold,
            0,
            0,
            true,
            0,
            Deed.NONE,
            comeback,
            random.nextLong()));
  }

  private void ask(
      long at,
      int client,
      String lock,
      long limit,
      long hold,
      boolean handOff,
      long cancelAfter,
      Deed deed,
      long seed) {
    steps.add(
        new Ask(
            at,
            client,
            Construct.MUTEX,
            List.of(lock),
            1,
            limit,
            hold,
            0,
            0,
            handOff,
            cancelAfter,
            deed,
            Comeback.NEVER,
            seed));
  }

  private void befall(long at, int client, Event event, long length) {
    steps.add(new Befall(at, client, event, Weather.CALM, length));
  }

  private void weather(long at, int client, Weather weather, long length) {
    steps.add(new Befall(at, client, Event.WEATHER, weather, length));
  }
}
