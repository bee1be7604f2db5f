package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.LockInfo;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.rules.Answers;
import dev.holdfast.testkit.rules.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** A record that cannot be read harms no other lock, is named by its place, and can be removed. */
public abstract class DamagedRecordRules extends Rules {

  private static final long SEED = 20_16;

  @Test
  void a_record_that_cannot_be_read_is_named_skipped_and_removed_on_demand(TestReporter reporter) {
    if (!isWrittenByOthers()) {
      assertThat(Answers.of(a.store().discard(lock))).as("no other program writes there").isFalse();
      return;
    }
    List<String> damages = damages();
    for (String damage : damages) {
      harmsNobodyElse(damage);
    }
    reporter.publishEntry("damaged records refused", Integer.toString(damages.size()));
  }

  /** Where the damaged part does not concern the holder, breaking the lock still works. */
  @Test
  void breaking_a_lock_that_cannot_be_read_is_refused_or_done() {
    if (!isWrittenByOthers()) {
      assertThat(a.evict(lock)).isFalse();
      return;
    }
    Claim holder = scene().mutex(lock);
    a.granted(holder);
    String place = scene().fixture().damage(lock, "zzz");
    Throwable thrown = catchThrowable(() -> Answers.of(b.store().evict(lock, LockStore.ANY_TOKEN)));
    if (thrown == null) {
      a.gone(holder);
    } else {
      isUnreadable(place, "zzz", thrown);
      assertThat(Answers.of(b.store().discard(lock))).isTrue();
    }
    b.granted(scene().mutex(lock));
  }

  /** What spans processes is; anything else, if the fixture says so. */
  private boolean isWrittenByOthers() {
    if (scene().traits().spansProcesses()) {
      return true;
    }
    String probed = scene().name();
    a.granted(scene().mutex(probed));
    try {
      scene().fixture().damage(probed, "zzz");
      return true;
    } catch (UnsupportedOperationException e) {
      return false;
    }
  }

  private void harmsNobodyElse(String damage) {
    String prefix = scene().name();
    String damaged = prefix + "/damaged";
    String healthy = prefix + "/healthy";
    Claim holder = scene().mutex(damaged);
    Claim neighbour = scene().mutex(healthy);
    long token = a.granted(holder).token();
    b.granted(neighbour);

    String place = scene().fixture().damage(damaged, damage);

    names(place, damage, () -> b.store().inspect(damaged));
    staysTaken(damaged, place, damage);
    assertThat(Answers.of(a.store().refresh(List.of(holder), Deadlines.far())).get(holder))
        .as("the holder's renewal, with '%s'", damage)
        .isNotInstanceOf(Gone.class);
    b.holds(neighbour);
    if (scene().traits().lists()) {
      assertThat(Answers.of(b.store().list(prefix, 10)))
          .as("the listing beside '%s'", damage)
          .extracting(LockInfo::name)
          .containsExactly(healthy);
    }

    assertThat(Answers.of(b.store().discard(healthy))).as("a record that can be read").isFalse();
    b.holds(neighbour);
    assertThat(Answers.of(b.store().discard(damaged))).as("removed: '%s'", damage).isTrue();
    assertThat(b.inspect(damaged).isHeld()).as("after the removal of '%s'", damage).isFalse();
    assertThat(Answers.of(b.store().discard(damaged))).as("removed twice").isFalse();
    Claim next = scene().mutex(damaged);
    assertThat(b.granted(next).token()).as("the next token").isGreaterThan(token);
    b.left(next);
    b.left(neighbour);
  }

  /** Unknown, or busy where the part that is damaged is of no matter for that; never granted. */
  private void staysTaken(String damaged, String place, String damage) {
    Claim other = scene().mutex(damaged);
    Object answer;
    try {
      answer = b.store().join(other, false, Deadlines.far()).toCompletableFuture().join();
    } catch (RuntimeException e) {
      isUnreadable(place, damage, e);
      // It may have entered all the same: the engine takes such a claim back.
      Departure departure = new Departure(other, Duration.ZERO, true);
      Answers.of(b.store().leave(List.of(departure), Deadlines.far()));
      return;
    }
    if (answer instanceof Granted) {
      fail("the lock was granted although its record cannot be read: '%s'", damage);
    }
  }

  private static void names(String place, String damage, Supplier<CompletionStage<?>> call) {
    Throwable thrown = catchThrowable(() -> Answers.of(call.get()));
    assertThat(thrown).as("must be refused: '%s'", damage).isNotNull();
    isUnreadable(place, damage, thrown);
  }

  private static void isUnreadable(String place, String damage, Throwable thrown) {
    Throwable cause = thrown.getCause(); // of what waits for the answer
    Throwable failure = cause == null ? thrown : cause;
    assertThat(failure)
        .as("with '%s'", damage)
        .isInstanceOf(UnreadableRecordException.class)
        .hasMessageContaining(place)
        .hasMessageContaining("holdfast break --force");
    assertThat(failure.getMessage()).as("with '%s'", damage).hasSizeLessThan(1500);
    assertThat(failure.getMessage()).doesNotContain("\u001b", "\u202e");
  }

  /** What no version of Holdfast writes, and what a newer one might. */
  private static List<String> damages() {
    List<String> damages =
        new ArrayList<>(
            List.of(
                "",
                " ",
                "zzz",
                "{}",
                "null",
                "-1",
                "0",
                "999 of a newer version",
                "1",
                "2",
                "3",
                "1 MUTEX",
                "[\"json\"]",
                "<xml/>",
                "\u001b[31mred",
                "\u202eleft",
                "a\tb",
                "\n\n\n",
                "9223372036854775808",
                "x".repeat(2_000)));
    Random random = new Random(SEED);
    for (int i = 0; i < 30; i++) {
      StringBuilder text = new StringBuilder("?");
      int length = random.nextInt(40);
      for (int j = 0; j < length; j++) {
        text.append((char) (' ' + random.nextInt(95)));
      }
      damages.add(text.toString());
    }
    return damages;
  }
}
