package dev.holdfast.foreign;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** What a lock of the memory store protects is changed by one thread at a time. */
class LincheckIT {

  @Test
  void no_result_under_stress_is_unexplained() {
    stress().check(LincheckLock.class);
  }

  @Test
  void no_result_of_any_interleaving_is_unexplained() {
    interleavings().check(LincheckLock.class);
  }

  @Test
  void a_counter_without_a_lock_is_found_both_ways() {
    assertThatThrownBy(() -> stress().check(Unprotected.class))
        .isInstanceOf(LincheckAssertionError.class);
    assertThatThrownBy(() -> interleavings().check(Unprotected.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static StressOptions stress() {
    return new StressOptions()
        .iterations(20)
        .invocationsPerIteration(1000)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(0)
        .actorsAfter(0);
  }

  private static ModelCheckingOptions interleavings() {
    return new ModelCheckingOptions()
        .iterations(4)
        .invocationsPerIteration(50)
        .threads(2)
        .actorsPerThread(1)
        .actorsBefore(0)
        .actorsAfter(0);
  }

  /** Must be found. */
  public static class Unprotected {
    private int counter;

    @Operation
    public int count() {
      counter++;
      return counter;
    }
  }
}
