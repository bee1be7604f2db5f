package dev.holdfast.torture.judge;

import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.Promise;
import dev.holdfast.testkit.promise.PromiseChecker;
import dev.holdfast.testkit.promise.Terms;
import dev.holdfast.testkit.promise.Violation;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.nemesis.CausedFault;
import dev.holdfast.torture.nemesis.Happened;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which promises held.
 *
 * @param verdicts one for each promise
 * @param figures what the history counts
 * @param problems what else went wrong
 */
public record Judgement(List<Verdict> verdicts, Figures figures, List<String> problems) {

  /** How long the clients wait for an answer: the default. */
  private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(5);

  /**
   * These have bounds in time that a busy machine may miss, or are compared with the moment at
   * which something was seen, which it may put off.
   */
  private static final Set<Promise> COUNTED =
      EnumSet.of(
          Promise.LOSS_FIRST,
          Promise.LOSS_IN_TIME,
          Promise.TAKEOVER,
          Promise.KEPT_IS_GIVEN_BACK,
          Promise.FIRST_COME,
          Promise.LIMITS,
          Promise.BUSY_IS_TRUE,
          Promise.UNKNOWN_IS_TRUE,
          Promise.MIN_HOLD,
          Promise.MAX_HOLD,
          Promise.BREAK_IS_NOTICED);

  /** These rest on a store that forgets no grant. */
  private static final Set<Promise> FORGETTABLE =
      EnumSet.of(
          Promise.EXCLUSION,
          Promise.WRITERS_ARE_ALONE,
          Promise.PERMITS,
          Promise.ONE_LEADER,
          Promise.TOKENS_RISE,
          Promise.HAND_OFF_RISES,
          Promise.LOSS_FIRST,
          Promise.BREAK_IS_NOTICED,
          Promise.MIN_HOLD);

  private static final int EXAMPLES = 3;

  /** Compares a history with the promises. */
  public static Judgement of(List<Observation> observations, Happened happened) {
    Terms terms =
        Terms.of(
            happened.target().ttl(),
            OPERATION_TIMEOUT,
            happened.traits().expiryLag(),
            happened.traits().fair());
    Map<Promise, List<Violation>> broken = broken(observations, terms);
    Map<Promise, List<Violation>> all = broken(withoutExcuses(observations), terms);
    List<Verdict> verdicts = new ArrayList<>();
    for (Promise promise : Promise.values()) {
      List<Violation> found =
          broken.getOrDefault(promise, List.of()).stream()
              .filter(violation -> !isExpected(violation, happened))
              .toList();
      int excused = all.getOrDefault(promise, List.of()).size() - found.size();
      verdicts.add(
          new Verdict(
              promise,
              !COUNTED.contains(promise),
              found.size(),
              Math.max(0, excused),
              found.stream().limit(EXAMPLES).map(Violation::toString).toList()));
    }
    Figures figures = Figures.of(observations);
    List<String> problems = new ArrayList<>(happened.problems());
    if (happened.faults().stream().noneMatch(CausedFault::caused)) {
      problems.add("no fault was caused: nothing was tested; choose a longer run");
    }
    if (figures.allGrants() == 0) {
      problems.add("no lock was ever granted: nothing was tested; see --slower");
    }
    figures.hung().forEach(asked -> problems.add("never decided: " + asked));
    figures.unexpected().stream().limit(EXAMPLES).forEach(o -> problems.add(o.toString()));
    return new Judgement(verdicts, figures, problems);
  }

  /** {@return whether every promise held that is judged, and nothing else went wrong} */
  public boolean passed() {
    return problems.isEmpty() && verdicts.stream().allMatch(Verdict::passes);
  }

  /** {@return the verdict about a promise} */
  public Verdict verdict(Promise promise) {
    return verdicts.get(promise.ordinal());
  }

  /**
   * While a store fails over, and until all holders must have noticed, two masters may grant beside
   * each other. Leases that a store may have forgotten in another way are none of the checker's any
   * more, from the observation on that says so.
   */
  private static boolean isExpected(Violation violation, Happened happened) {
    List<Observation> shown = violation.observations();
    if (!FORGETTABLE.contains(violation.promise()) || shown.isEmpty()) {
      return false;
    }
    long at = shown.get(shown.size() - 1).at();
    long notice = happened.target().ttl().plus(OPERATION_TIMEOUT).toNanos();
    return happened.faults().stream()
        .filter(fault -> happened.target().splits().contains(fault.kind()))
        .anyMatch(fault -> fault.from() <= at && at <= fault.to() + notice);
  }

  private static Map<Promise, List<Violation>> broken(List<Observation> observations, Terms terms) {
    Map<Promise, List<Violation>> found = new EnumMap<>(Promise.class);
    for (Violation violation : PromiseChecker.violations(observations, terms)) {
      found.computeIfAbsent(violation.promise(), promise -> new ArrayList<>()).add(violation);
    }
    return found;
  }

  /** As if nobody had broken a lock, and the store had forgotten nothing. */
  private static List<Observation> withoutExcuses(List<Observation> observations) {
    return observations.stream()
        .filter(o -> o.what() != What.BROKE && o.what() != What.FORGOT)
        .toList();
  }
}
