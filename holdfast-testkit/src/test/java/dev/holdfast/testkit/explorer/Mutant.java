package dev.holdfast.testkit.explorer;

import dev.holdfast.testkit.mutant.Edit;
import java.util.List;
import java.util.Set;

/**
 * A fault put into the engine's source on purpose.
 *
 * @param name what is wrong
 * @param world the world that shows it
 * @param invariants those that it may violate first
 * @param edits the changes that make it
 */
public record Mutant(String name, World world, Set<Invariant> invariants, List<Edit> edits) {

  static Mutant of(String name, World world, Invariant invariant, Edit... edits) {
    return new Mutant(name, world, Set.of(invariant), List.of(edits));
  }

  static Edit edit(String file, String before, String after) {
    return new Edit(file, before, after);
  }

  @Override
  public String toString() {
    return name;
  }
}
