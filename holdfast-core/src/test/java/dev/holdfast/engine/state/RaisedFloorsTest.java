package dev.holdfast.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RaisedFloorsTest {

  private static final long NOW =
      Long.parseLong("" + (Long.MAX_VALUE - 5)); // no constant: it is to overflow

  private final RaisedFloors floors = new RaisedFloors();

  @Test
  void a_floor_holds_for_its_lock_only() {
    floors.raise("x", 7, NOW);
    assertThat(floors.of("x", NOW)).isEqualTo(7);
    assertThat(floors.of("y", NOW)).isZero();
  }

  @Test
  void a_floor_never_falls_within_its_time() {
    floors.raise("x", 7, NOW);
    floors.raise("x", 3, NOW + 1);
    assertThat(floors.of("x", NOW + 1)).isEqualTo(7);
  }

  @Test
  void a_floor_is_kept_for_an_hour_from_when_it_was_last_raised() {
    floors.raise("x", 7, NOW);
    floors.raise("x", 7, NOW + 10);
    assertThat(floors.of("x", NOW + 9 + RaisedFloors.AGE_NANOS)).isEqualTo(7);
    assertThat(floors.of("x", NOW + 10 + RaisedFloors.AGE_NANOS)).isZero();
  }

  @Test
  void a_floor_that_is_over_takes_no_room_once_another_is_raised() {
    floors.raise("x", 7, NOW);
    floors.raise("y", 8, NOW + RaisedFloors.AGE_NANOS);
    assertThat(floors.size()).isEqualTo(1);
    floors.raise("x", 3, NOW + RaisedFloors.AGE_NANOS);
    assertThat(floors.of("x", NOW + RaisedFloors.AGE_NANOS)).isEqualTo(3);
  }

  @Test
  void there_are_a_thousand_at_most_and_the_oldest_goes_first() {
    for (int i = 0; i < RaisedFloors.MOST; i++) {
      floors.raise("lock " + i, 7, NOW + i);
    }
    floors.raise("lock 0", 7, NOW + RaisedFloors.MOST);
    floors.raise("one more", 9, NOW + RaisedFloors.MOST);
    assertThat(floors.size()).isEqualTo(RaisedFloors.MOST);
    assertThat(floors.of("lock 0", NOW + RaisedFloors.MOST)).isEqualTo(7);
    assertThat(floors.of("lock 1", NOW + RaisedFloors.MOST)).isZero();
    assertThat(floors.of("one more", NOW + RaisedFloors.MOST)).isEqualTo(9);
  }
}
