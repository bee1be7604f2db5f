package dev.holdfast;

import static dev.holdfast.Kind.UNBOUNDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KindTest {

  private static final List<Integer> NUMBERS =
      List.of(Integer.MIN_VALUE, -1, 0, 1, 2, 3, UNBOUNDED - 1, UNBOUNDED);

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"MUTEX", "ELECTION"})
  void an_exclusive_kind_has_capacity_one_and_weight_one_only(Kind kind) {
    for (int weight : NUMBERS) {
      for (int capacity : NUMBERS) {
        assertTakes(kind, weight, capacity, weight == 1 && capacity == 1);
      }
    }
  }

  @Test
  void a_semaphore_takes_any_weight_that_fits_its_capacity() {
    for (int weight : NUMBERS) {
      for (int capacity : NUMBERS) {
        assertTakes(Kind.SEMAPHORE, weight, capacity, weight >= 1 && weight <= capacity);
      }
    }
  }

  @Test
  void a_read_write_lock_has_readers_of_one_and_writers_of_everything() {
    for (int weight : NUMBERS) {
      for (int capacity : NUMBERS) {
        boolean right = capacity == UNBOUNDED && (weight == 1 || weight == UNBOUNDED);
        assertTakes(Kind.READ_WRITE, weight, capacity, right);
      }
    }
  }

  @Test
  void the_message_names_kind_weight_and_capacity() {
    assertThatThrownBy(() -> Kind.SEMAPHORE.check(5, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a claim of kind SEMAPHORE cannot have weight 5 of capacity 3");
  }

  @Test
  void the_mode_follows_from_kind_and_weight() {
    assertThat(Kind.MUTEX.mode(1)).isEqualTo(Mode.EXCLUSIVE);
    assertThat(Kind.ELECTION.mode(1)).isEqualTo(Mode.EXCLUSIVE);
    assertThat(Kind.READ_WRITE.mode(UNBOUNDED)).isEqualTo(Mode.EXCLUSIVE);
    assertThat(Kind.READ_WRITE.mode(1)).isEqualTo(Mode.SHARED);
    assertThat(Kind.SEMAPHORE.mode(1)).isEqualTo(Mode.PERMIT);
    assertThat(Kind.SEMAPHORE.mode(UNBOUNDED)).isEqualTo(Mode.PERMIT);
  }

  @Test
  void unbounded_is_exact_in_the_arithmetic_of_every_store() {
    assertThat(UNBOUNDED).isEqualTo(2_147_483_647);
    assertThat((long) (double) UNBOUNDED).isEqualTo(UNBOUNDED);
  }

  private static void assertTakes(Kind kind, int weight, int capacity, boolean right) {
    if (right) {
      assertThatCode(() -> kind.check(weight, capacity)).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(() -> kind.check(weight, capacity))
          .as("%s with weight %d of capacity %d", kind, weight, capacity)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
