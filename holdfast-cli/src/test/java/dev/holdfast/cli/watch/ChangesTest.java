package dev.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangesTest {

  private final Changes changes = new Changes();

  @Test
  void everything_is_new_at_first_and_nothing_later() {
    LockInfo lock = lock("a", List.of(claim("x", 1)), List.of(claim("y", 0)));
    assertThat(told(List.of(lock))).containsExactly("holds a x", "waits a y");
    assertThat(told(List.of(lock))).isEmpty();
  }

  @Test
  void a_waiter_that_gets_the_lock_has_not_left() {
    told(List.of(lock("a", List.of(claim("x", 1)), List.of(claim("y", 0)))));
    assertThat(told(List.of(lock("a", List.of(claim("y", 2)), List.of()))))
        .containsExactly("ended a x", "holds a y");
    assertThat(told(List.of())).containsExactly("ended a y");
  }

  @Test
  void a_waiter_that_gives_up_has_left() {
    told(List.of(lock("a", List.of(claim("x", 1)), List.of(claim("y", 0), claim("y", 0)))));
    assertThat(told(List.of(lock("a", List.of(claim("x", 1)), List.of(claim("y", 0))))))
        .containsExactly("left a y");
  }

  @Test
  void the_same_owner_with_another_token_is_another_grant() {
    told(List.of(lock("a", List.of(claim("x", 1)), List.of())));
    assertThat(told(List.of(lock("a", List.of(claim("x", 2)), List.of()))))
        .containsExactly("ended a x", "holds a x");
  }

  @Test
  void a_holder_that_reads_from_now_on_or_publishes_something_else_has_changed() {
    told(List.of(lock("a", List.of(claim("x", 1)), List.of())));
    ClaimInfo reading = claim("x", 1, Mode.SHARED, null);
    assertThat(told(List.of(lock("a", List.of(reading), List.of()))))
        .containsExactly("changed a x");
    ClaimInfo published = claim("x", 1, Mode.SHARED, "web-3:8080");
    assertThat(told(List.of(lock("a", List.of(published), List.of()))))
        .containsExactly("changed a x");
    assertThat(told(List.of(lock("a", List.of(published), List.of())))).isEmpty();
  }

  private List<String> told(List<LockInfo> locks) {
    return changes.since(locks).stream()
        .map(change -> change.event() + " " + change.lock() + " " + change.claim().owner().label())
        .toList();
  }

  private static LockInfo lock(String name, List<ClaimInfo> holders, List<ClaimInfo> waiters) {
    return new LockInfo(name, Kind.MUTEX, 1, holders, waiters);
  }

  private static ClaimInfo claim(String label, long token) {
    return claim(label, token, Mode.EXCLUSIVE, null);
  }

  private static ClaimInfo claim(String label, long token, Mode mode, String value) {
    Owner owner = new Owner("h", 1, "main", "client of " + label, label);
    return new ClaimInfo(owner, mode, 1, token, token, Duration.ZERO, Duration.ZERO, value);
  }
}
