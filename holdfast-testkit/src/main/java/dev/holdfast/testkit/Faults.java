package dev.holdfast.testkit;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * How often a {@link FaultyStore} fails, and in which ways. Chances are in percent of the calls; at
 * most one fault hits a call. Immutable.
 *
 * @param lostRequest the request never arrives
 * @param lostAnswer the request takes effect, the answer never comes
 * @param error answered with an error, without effect
 * @param late the caller gets an error, and the request arrives afterwards: a join may come after
 *     the leave that was to take it back
 * @param duplicate the request arrives twice, the second time later
 * @param unknownClaim a refresh answers unknown for a claim although it took effect
 * @param missedHint a hint does not arrive
 * @param spuriousHint an observer gets a hint for no reason
 * @param hang a lost request or answer is never noticed: the call stays without answer for ever,
 *     instead of ending in an error after a while
 * @param maxDelay how long requests, answers and hints take at most
 * @param verbs which calls are affected at all
 */
public record Faults(
    int lostRequest,
    int lostAnswer,
    int error,
    int late,
    int duplicate,
    int unknownClaim,
    int missedHint,
    int spuriousHint,
    int hang,
    Duration maxDelay,
    Set<Verb> verbs) {

  /** Copies the set, and refuses chances that add up to more than every call. */
  public Faults {
    if (lostRequest + lostAnswer + error + late + duplicate > 100) {
      throw new IllegalArgumentException("the chances of faults add up to more than 100 percent");
    }
    verbs = Set.copyOf(verbs);
  }

  /** None: every call is passed on as it is. */
  public static Faults none() {
    return new Faults(0, 0, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, EnumSet.allOf(Verb.class));
  }

  /** Everything that can happen happens now and then, most calls get through. */
  public static Faults some(Duration maxDelay) {
    return new Faults(4, 4, 3, 3, 4, 3, 20, 10, 40, maxDelay, EnumSet.allOf(Verb.class));
  }

  /** The store is cut off: requests go nowhere and no call is ever answered. */
  public static Faults cutOff() {
    return new Faults(100, 0, 0, 0, 0, 0, 100, 0, 100, Duration.ZERO, EnumSet.allOf(Verb.class));
  }

  /** Requests take effect, and no call is ever answered. */
  public static Faults mute() {
    return new Faults(0, 100, 0, 0, 0, 0, 0, 0, 100, Duration.ZERO, EnumSet.allOf(Verb.class));
  }

  /** Every call is answered with an error, at once. */
  public static Faults failing() {
    return new Faults(0, 0, 100, 0, 0, 0, 0, 0, 0, Duration.ZERO, EnumSet.allOf(Verb.class));
  }

  /** The same on these calls alone. */
  public Faults on(Verb first, Verb... others) {
    return new Faults(
        lostRequest,
        lostAnswer,
        error,
        late,
        duplicate,
        unknownClaim,
        missedHint,
        spuriousHint,
        hang,
        maxDelay,
        EnumSet.of(first, others));
  }

  /** The same, where every call takes up to this long on the way there and on the way back. */
  public Faults delayed(Duration most) {
    return new Faults(
        lostRequest,
        lostAnswer,
        error,
        late,
        duplicate,
        unknownClaim,
        missedHint,
        spuriousHint,
        hang,
        most,
        verbs);
  }
}
