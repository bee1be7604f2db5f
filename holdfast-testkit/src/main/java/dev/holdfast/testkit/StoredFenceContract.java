package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * What a {@link Fence} promises in addition if it keeps its tokens where others could change them:
 * it believes nothing that it could not have written itself, names the place, and can be reset.
 */
public abstract class StoredFenceContract extends FenceContract {

  private static final long SEED = 20_16;

  /** For subclasses. */
  protected StoredFenceContract() {}

  /** Writes this in the place of a lock's token, around the fence. */
  protected abstract void overwrite(String lock, String text) throws Exception;

  /** What the message about a damaged fence must contain: the file, key, row or node. */
  protected abstract String place(String lock);

  /** What cannot be a token; fewer where the place takes only numbers. */
  protected List<String> damages() {
    List<String> damages =
        new ArrayList<>(
            List.of(
                "",
                " ",
                "zzz",
                "0x10",
                "1e3",
                "1.5",
                "007",
                "+7",
                "7 ",
                " 7",
                "7,",
                "7\n8",
                "٧",
                "null",
                "true",
                "{}",
                "\u001b[31m7",
                "\u202e7",
                "7".repeat(20),
                "18446744073709551615",
                "9999999999999999999999",
                "z".repeat(20_000)));
    damages.addAll(wrongNumbers());
    Random random = new Random(SEED);
    for (int i = 0; i < 40; i++) {
      damages.add(text(random));
    }
    return damages;
  }

  /** Numbers that fit 64 bits and cannot be tokens. */
  protected static List<String> wrongNumbers() {
    List<String> numbers = new ArrayList<>();
    List.of(-1L, -5L, Long.MIN_VALUE, Tokens.MAX + 1, 1L << 62, Long.MAX_VALUE - 1, Long.MAX_VALUE)
        .forEach(number -> numbers.add(Long.toString(number)));
    Random random = new Random(SEED);
    for (int i = 0; i < 20; i++) {
      numbers.add(Long.toString(random.nextLong() | Long.MIN_VALUE));
      numbers.add(Long.toString(Tokens.MAX + 1 + random.nextLong(Long.MAX_VALUE - Tokens.MAX)));
    }
    return numbers;
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    int length = 1 + random.nextInt(30);
    for (int i = 0; i < length; i++) {
      text.append((char) (' ' + random.nextInt(95)));
    }
    return text.append('!').toString(); // so that it is never a number
  }

  /** Whatever is stored: no token passes, nothing is changed, and a reset repairs it. */
  @Test
  public void what_is_not_a_token_is_refused_by_its_place_and_can_be_reset(TestReporter reporter)
      throws Exception {
    List<String> damages = damages();
    for (String damage : damages) {
      fence().enter(exclusive(7));
      overwrite(lock, damage);
      refuses(damage, () -> fence().enter(exclusive(9)));
      refuses(damage, () -> fence().check(exclusive(9)));
      refuses(damage, () -> fence().enter(exclusive(Tokens.MAX)));
      refuses(damage, () -> fence().enter(shared(9)));
      refuses(damage, () -> fence().check(shared(9)));
      refuses(damage, () -> fence().current(lock));
      fence().reset(lock, 8);
      assertThat(fence().current(lock)).as("after %s", damage).isEqualTo(8);
      assertThatThrownBy(() -> fence().check(exclusive(7)))
          .as("after %s", damage)
          .isInstanceOf(StaleTokenException.class);
      fence().reset(lock, 0);
    }
    reporter.publishEntry("damaged fences refused", Integer.toString(damages.size()));
  }

  private void refuses(String damage, Runnable use) {
    assertThatThrownBy(use::run)
        .as("stored: '%s'", damage)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(place(lock))
        .hasMessageContaining("holdfast fence reset")
        .satisfies(
            refusal -> {
              assertThat(refusal.getMessage()).hasSizeLessThan(1000);
              assertThat(refusal.getMessage()).doesNotContain("\u001b", "\u202e");
            });
  }

  /**
   * For subclasses whose system keeps locks, too: a client of the store at this URL finds the same
   * fence.
   */
  protected final void isTheFenceOf(String url) {
    fence().enter(exclusive(7));
    try (Holdfast locks = Holdfast.connect(url)) {
      Fence same = locks.fence();
      assertThat(same.current(lock)).isEqualTo(7);
      same.enter(exclusive(8));
      assertThatThrownBy(() -> same.check(exclusive(7))).isInstanceOf(StaleTokenException.class);
      same.reset(lock, 9);
    }
    assertThat(fence().current(lock)).isEqualTo(9);
  }

  /** One lock's damage is no other lock's. */
  @Test
  public void a_damaged_fence_leaves_those_of_other_locks_alone() throws Exception {
    String other = lock + "/other";
    fence().reset(other, 5);
    fence().enter(exclusive(7));
    overwrite(lock, damages().get(0));
    fence().check(new Proof(other, 5, Mode.EXCLUSIVE, exclusive(7).owner()));
    fence().reset(lock, 0);
    assertThat(fence().current(other)).isEqualTo(5);
  }
}
