package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.promise.Construct;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One decision of a schedule. Each stands for itself: without another one it means the same, so a
 * schedule can be shortened by leaving some out.
 */
sealed interface Step {

  /** When, in nanoseconds of true time. */
  long at();

  /** Whom it concerns; -1 for the store. */
  int client();

  /** A caller asks for a lock. Times are nanoseconds of the client's clock. */
  record Ask(
      long at,
      int client,
      Construct construct,
      List<String> locks,
      int weight,
      long limit,
      long hold,
      long minHold,
      long maxHold,
      boolean handOff,
      long cancelAfter,
      Deed deed,
      Comeback comeback,
      long seed)
      implements Step {

    /** It waits however long. */
    static final long FOR_EVER = -1;

    /** The next time of a caller that comes back. */
    Ask again() {
      return new Ask(
          at,
          client,
          construct,
          locks,
          weight,
          limit,
          hold,
          minHold,
          maxHold,
          handOff,
          cancelAfter,
          deed,
          comeback.next(),
          seed + 1);
    }

    @Override
    public String toString() {
      List<String> text = new ArrayList<>();
      text.add(limit == 0 ? "tries" : limit < 0 ? "waits for" : "waits " + time(limit) + " for");
      text.add(construct + " " + locks + (construct == Construct.PERMIT ? " x" + weight : ""));
      text.add("and holds it " + time(hold));
      if (minHold > 0) {
        text.add("minHold " + time(minHold));
      }
      if (maxHold > 0) {
        text.add("maxHold " + time(maxHold));
      }
      if (!handOff) {
        text.add("without hand-off");
      }
      if (cancelAfter > 0) {
        text.add("cancels after " + time(cancelAfter));
      }
      if (deed != Deed.NONE) {
        text.add("meanwhile: " + deed);
      }
      text.add(comeback.toString());
      return line(this, String.join(" ", text).strip());
    }
  }

  /**
   * How a caller comes back to a lock that it has released. Times are nanoseconds of the client's
   * clock.
   *
   * @param times how often
   * @param pause after what time at most
   * @param keepIdle for how long its client may keep the claim meanwhile
   * @param slice for how long its client may pass the claim on though others wait; zero for not
   */
  record Comeback(int times, long pause, long keepIdle, long slice) {
    static final Comeback NEVER = new Comeback(0, 0, 100_000_000, 0);

    Comeback next() {
      return new Comeback(times - 1, pause, keepIdle, slice);
    }

    @Override
    public String toString() {
      List<String> text = new ArrayList<>();
      if (times > 0) {
        text.add(times + " times more, each within " + time(pause));
      }
      if (keepIdle != NEVER.keepIdle) {
        text.add("keepIdle " + time(keepIdle));
      }
      if (slice > 0) {
        text.add("handOff " + time(slice));
      }
      return String.join(" ", text);
    }
  }

  /** What a holder does besides. */
  enum Deed {
    NONE,
    RENEW,
    EXTEND,
    DOWNGRADE,
    DETACH,
    REENTER
  }

  /** Something befalls a client. */
  record Befall(long at, int client, Event event, Weather weather, long length) implements Step {
    @Override
    public String toString() {
      String what = event == Event.WEATHER ? weather.toString() : event.toString();
      return line(this, length == 0 ? what : what + " for " + time(length));
    }
  }

  /** What befalls clients. */
  enum Event {
    WEATHER,
    PAUSE,
    SLEEP,
    WALL_JUMP,
    CRASH,
    CLOSE,
    RETIRE,
    STAND,
    RESIGN,
    STAND_NO_MORE
  }

  /** An operator breaks a lock. */
  record Break(long at, String lock) implements Step {
    @Override
    public int client() {
      return -1;
    }

    @Override
    public String toString() {
      return line(this, "an operator breaks [" + lock + "]");
    }
  }

  /** The store restarts without its memory. */
  record Forget(long at) implements Step {
    @Override
    public int client() {
      return -1;
    }

    @Override
    public String toString() {
      return line(this, "restarts without its memory");
    }
  }

  private static String line(Step step, String what) {
    String who = step.client() < 0 ? "store" : "c" + step.client();
    return "%11.3f s  %-6s %s".formatted(step.at() / 1e9, who, what);
  }

  private static String time(long nanos) {
    return Duration.ofMillis(nanos / 1_000_000).toString().substring(2).toLowerCase();
  }
}
