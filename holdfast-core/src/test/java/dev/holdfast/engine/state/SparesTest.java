package dev.holdfast.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SparesTest {

  private final Spares spares = new Spares();

  private List<Long> rest(long floor) {
    List<Long> used = new ArrayList<>();
    while (spares.has(floor)) {
      used.add(spares.take(floor));
    }
    return used;
  }

  @Test
  void tokens_that_are_offered_twice_are_used_once() {
    spares.begin(new Granted(100, new Tokens(101, 2)));
    List<Long> used = new ArrayList<>(List.of(spares.take(0), spares.take(0)));
    spares.add(new Tokens(101, 2)); // the answer was repeated
    spares.add(new Tokens(102, 3)); // and overlaps
    spares.add(new Tokens(90, 5)); // and is late
    used.addAll(rest(0));
    assertThat(used).containsExactly(100L, 101L, 102L, 103L, 104L);
  }

  @Test
  void tokens_that_are_left_are_used_before_those_that_follow_them() {
    spares.begin(new Granted(100, new Tokens(101, 3)));
    List<Long> used = new ArrayList<>(List.of(spares.take(0), spares.take(0)));
    spares.add(new Tokens(104, 2));
    used.addAll(rest(0));
    assertThat(used).containsExactly(100L, 101L, 102L, 103L, 104L, 105L);
  }

  @Test
  void tokens_that_are_left_are_not_used_if_others_were_given_out_behind_them() {
    spares.begin(new Granted(100, new Tokens(101, 3)));
    List<Long> used = new ArrayList<>(List.of(spares.take(0), spares.take(0)));
    spares.add(new Tokens(106, 2));
    used.addAll(rest(0));
    assertThat(used).containsExactly(100L, 101L, 106L, 107L);
  }

  @Test
  void a_token_at_or_below_the_floor_is_never_used() {
    spares.begin(new Granted(100, new Tokens(101, 4)));
    assertThat(rest(102)).containsExactly(103L, 104L);
  }

  @Test
  void a_grant_below_the_floor_without_spares_has_no_token() {
    spares.begin(new Granted(100));
    assertThat(spares.has(100)).isFalse();
    assertThat(spares.has(99)).isTrue();
  }
}
