package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Something that is measured for several contenders in turn.
 *
 * @param name as on the command line
 * @param title as a heading
 * @param entrants the participants
 * @param pace the rounds
 * @param together whether all are ready from the beginning, so that slices follow each other at
 *     once and warm; if not, each is made ready for its slice alone, where much is opened and only
 *     requests are counted
 */
public record Workload(
    String name,
    String title,
    Function<TestBed, List<Participant>> entrants,
    ToIntFunction<Scale> pace,
    boolean together) {

  /** Prepares a contender. */
  public interface Opening {

    /** On this server. */
    Trial open(TestBed ground, Contender contender) throws Exception;
  }

  /** With the store's contenders that the predicate admits. */
  public static Workload of(
      String name, String title, Predicate<Contender> admitted, Opening opening) {
    return of(
        name,
        title,
        ground ->
            ground.store().contenders().stream()
                .filter(admitted)
                .map(one -> new Participant(one.label(), () -> opening.open(ground, one)))
                .toList());
  }

  /** With other participants. */
  public static Workload of(
      String name, String title, Function<TestBed, List<Participant>> entrants) {
    return new Workload(name, title, entrants, Scale::rounds, true);
  }

  /** The same with one round for this many of the others'. */
  Workload oneRoundFor(int rounds) {
    return new Workload(
        name, title, entrants, scale -> Math.max(1, scale.rounds() / rounds), together);
  }

  /** The same with one round, each prepared for its slice alone. */
  Workload oneByOne() {
    return new Workload(name, title, entrants, scale -> 1, false);
  }

  /** The same, where no bar compares Holdfast with others: a brief run leaves them out. */
  Workload comparesNobody() {
    return new Workload(name, title, this::withoutOthersIfBrief, pace, together);
  }

  private List<Participant> withoutOthersIfBrief(TestBed ground) {
    return entrants.apply(ground).stream()
        .filter(one -> !ground.scale().isBrief() || one.label().startsWith("Holdfast"))
        .toList();
  }

  /** The participants; none if the workload makes no sense on this store. */
  public List<Participant> entries(TestBed ground) {
    return entrants.apply(ground);
  }

  /** How many slices each has. */
  public int rounds(Scale scale) {
    return pace.applyAsInt(scale);
  }
}
