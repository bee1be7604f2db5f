package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.rules.Answers;
import dev.holdfast.testkit.rules.Rules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Inspect and list tell the truth. */
public abstract class InspectRules extends Rules {

  @Test
  void a_lock_that_nobody_uses_is_free() {
    assertThat(a.inspect(lock)).isEqualTo(LockInfo.free(lock));
  }

  @Test
  void a_lock_that_was_left_is_free_again() {
    Claim claim = scene().mutex(lock);
    a.granted(claim);
    a.left(claim);

    assertThat(b.inspect(lock)).isEqualTo(LockInfo.free(lock));
  }

  @Test
  void a_holder_is_shown_with_all_that_is_known_of_it() {
    Claim claim = scene().mutex(lock).publishing("a value");
    long token = a.granted(claim).token();

    LockInfo info = b.inspect(lock);

    assertThat(info.kind()).isEqualTo(Kind.MUTEX);
    assertThat(info.capacity()).isEqualTo(1);
    assertThat(info.waiters()).isEmpty();
    ClaimInfo holder = info.holders().get(0);
    assertThat(holder.owner()).isEqualTo(claim.owner());
    assertThat(holder.mode()).isEqualTo(Mode.EXCLUSIVE);
    assertThat(holder.weight()).isEqualTo(1);
    assertThat(holder.token()).isEqualTo(token);
    assertThat(holder.value()).isEqualTo("a value");
    assertThat(holder.age()).isBetween(Duration.ZERO, Answers.PATIENCE);
    assertThat(holder.remaining())
        .isPositive()
        .isLessThanOrEqualTo(claim.ttl().plus(scene().traits().ttlResolution()));
  }

  @Test
  void waiters_are_shown_in_their_order_without_a_token() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim first = scene().mutex(lock);
          Claim second = scene().mutex(lock);
          a.granted(holder);
          b.queued(first);
          a.queued(second);

          LockInfo info = b.inspect(lock);

          assertThat(info.holders()).extracting(ClaimInfo::owner).containsExactly(holder.owner());
          assertThat(info.waiters())
              .extracting(ClaimInfo::owner)
              .containsExactly(first.owner(), second.owner());
          assertThat(info.waiters()).extracting(ClaimInfo::token).containsOnly(0L);
          assertThat(info.waiters())
              .allMatch(waiter -> waiter.remaining().compareTo(Duration.ZERO) > 0);
        });
  }

  @Test
  void readers_and_permits_are_shown_with_mode_and_weight() throws Exception {
    whereKept(
        Kind.SEMAPHORE,
        () -> {
          a.granted(scene().permits(lock, 2, 5));
          b.granted(scene().permits(lock, 3, 5));

          LockInfo info = a.inspect(lock);

          assertThat(info.kind()).isEqualTo(Kind.SEMAPHORE);
          assertThat(info.capacity()).isEqualTo(5);
          assertThat(info.holders()).extracting(ClaimInfo::weight).containsExactly(2, 3);
          assertThat(info.holders()).extracting(ClaimInfo::mode).containsOnly(Mode.PERMIT);
        });
  }

  @Test
  void an_expired_holder_is_not_shown() throws Exception {
    a.granted(scene().briefMutex(lock));

    scene().eventually("the holder expires", () -> b.inspect(lock).equals(LockInfo.free(lock)));

    whereLists(() -> assertThat(b.names(lock)).isEmpty());
  }

  @Test
  void a_list_has_the_locks_in_use_under_the_prefix_in_the_order_of_their_names() throws Exception {
    whereLists(
        () -> {
          for (String end : List.of("/b", "/a", "/c", "/B", "/a/1", "x")) {
            a.granted(scene().mutex(lock + end));
          }
          Claim left = scene().mutex(lock + "/left");
          a.granted(left);
          a.left(left);

          assertThat(b.names(lock + "/"))
              .containsExactly(lock + "/B", lock + "/a", lock + "/a/1", lock + "/b", lock + "/c");
          assertThat(b.names(lock + "/a")).containsExactly(lock + "/a", lock + "/a/1");
          assertThat(b.names(lock + "/z")).isEmpty();
          assertThat(b.names("")).contains(lock + "/a", lock + "x");
        });
  }

  @Test
  void a_list_shows_each_lock_as_inspect_does() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          long token = a.granted(holder).token();
          b.queued(waiter);

          LockInfo listed = b.list(lock, 10).get(0);

          assertThat(listed.name()).isEqualTo(lock);
          assertThat(listed.holders()).extracting(ClaimInfo::owner).containsExactly(holder.owner());
          assertThat(listed.holders()).extracting(ClaimInfo::token).containsExactly(token);
          assertThat(listed.waiters()).extracting(ClaimInfo::owner).containsExactly(waiter.owner());
        });
  }

  @Test
  void a_list_stops_at_its_limit() throws Exception {
    whereLists(
        () -> {
          for (int i = 0; i < 5; i++) {
            a.granted(scene().mutex(lock + "/" + i));
          }

          assertThat(b.list(lock, 3))
              .extracting(LockInfo::name)
              .containsExactly(lock + "/0", lock + "/1", lock + "/2");
        });
  }

  @Test
  void a_prefix_is_taken_literally() throws Exception {
    whereLists(
        () -> {
          List<String> ends =
              List.of("%a", "_a", "*a", "?a", "[x]a", "\\a", "'a", "{a", ".a", "xa", "Xa");
          ends.forEach(end -> a.granted(scene().mutex(lock + end)));

          for (String end : ends) {
            String prefix = lock + end.substring(0, end.length() - 1);
            assertThat(b.names(prefix))
                .as("locks from '%s' on", prefix)
                .containsExactly(lock + end);
          }
        });
  }

  @Test
  void a_diagnosis_reads_and_changes_nothing() {
    Claim holder = scene().mutex(lock);
    a.granted(holder);

    Diagnosis diagnosis = Answers.of(a.store().diagnose());

    for (Finding finding : diagnosis.findings()) {
      assertThat(finding.message()).isNotBlank().doesNotContain("\n");
    }
    a.holds(holder);
  }
}
