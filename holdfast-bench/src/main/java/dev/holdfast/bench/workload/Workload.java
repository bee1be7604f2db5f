package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Something that is measured, of several contenders in turn.
 *
 * @param name as on the command line
 * @param title as a heading
 * @param entrants who takes part in it
 * @param pace how often each has its turn
 * @param together whether all are ready from the beginning, so that slices follow each other at
 *     once and warm; if not, each is made ready for its slice alone, where much is opened and only
 *     requests are counted
 */
public record Workload(
    String name,
    String title,
    Function<Ground, List<Entry>> entrants,
    ToIntFunction<Scale> pace,
    boolean together) {

  /** Makes a contender ready. */
  public interface Opening {

    /** On this server. */
    Trial open(Ground ground, Contender contender) throws Exception;
  }

  /** Of those contenders of the store that are admitted. */
  static Workload of(String name, String title, Predicate<Contender> admitted, Opening opening) {
    return of(
        name,
        title,
        ground ->
            ground.store().contenders().stream()
                .filter(admitted)
                .map(one -> new Entry(one.label(), () -> opening.open(ground, one)))
                .toList());
  }

  /** Of others. */
  static Workload of(String name, String title, Function<Ground, List<Entry>> entrants) {
    return new Workload(name, title, entrants, Scale::rounds, true);
  }

  /** The same with one round for so many of the others'. */
  Workload oneRoundFor(int rounds) {
    return new Workload(
        name, title, entrants, scale -> Math.max(1, scale.rounds() / rounds), together);
  }

  /** The same with one round, each made ready for its slice alone. */
  Workload oneByOne() {
    return new Workload(name, title, entrants, scale -> 1, false);
  }

  /** Who takes part; nobody if it makes no sense on this store. */
  public List<Entry> entries(Ground ground) {
    return entrants.apply(ground);
  }

  /** How often each has its turn. */
  public int rounds(Scale scale) {
    return pace.applyAsInt(scale);
  }
}
