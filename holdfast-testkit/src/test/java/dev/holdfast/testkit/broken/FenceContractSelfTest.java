package dev.holdfast.testkit.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.FenceContract;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.testkit.engine.EngineTestKit;

/** A fence broken on purpose must fail, by the name of the broken promise. */
class FenceContractSelfTest {

  /** What is wrong with a fence, and the promise that this breaks. */
  enum Flaw {
    ONLY_CHECKS_WRITES("an_older_holder_cannot_enter_again"),
    FORGETS_TO_RAISE("an_older_holder_cannot_write_once_a_later_one_has_entered"),
    REFUSES_EQUALS("one_holder_enters_and_writes_many_times"),
    TAKES_THE_LAST("a_holder_that_is_refused_once_is_refused_again_and_lowers_nothing"),
    RAISED_BY_READERS("a_shared_token_never_raises_the_fence"),
    OPEN_TO_READERS("a_shared_token_is_checked_against_the_last_exclusive_one"),
    FENCES_PERMITS("permits_of_a_semaphore_cannot_be_fenced"),
    IGNORES_CASE("names_that_look_alike_are_different_resources"),
    COUNTS_IN_INTS("the_longest_name_and_the_greatest_token_fit"),
    TELLS_NOTHING("a_fence_tells_where_it_stands"),
    RESETS_UPWARDS_ONLY("a_fence_that_is_reset_stands_where_it_was_put"),
    RESETS_TO_ANYTHING("a_fence_is_not_reset_to_what_cannot_be_a_token");

    final String promise;

    Flaw(String promise) {
      this.promise = promise;
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_flaw_is_named(Flaw flaw) {
    BrokenFenceContract.flaw = flaw;
    var tests =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(BrokenFenceContract.class))
            .execute()
            .testEvents();
    List<String> failed =
        tests
            .failed()
            .map(event -> event.getTestDescriptor().getDisplayName().replace("()", ""))
            .toList();
    assertThat(failed).as("tests that a fence fails which %s", flaw).contains(flaw.promise);
    assertThat(tests.succeeded().count()).as("tests that have nothing to do with it").isPositive();
  }

  /** Run by the test above, not by itself: its name says neither Test nor IT. */
  static class BrokenFenceContract extends FenceContract {

    static Flaw flaw = Flaw.ONLY_CHECKS_WRITES;

    private final BrokenFence fence = new BrokenFence(flaw);

    @Override
    protected Fence fence() {
      return fence;
    }
  }

  /** A fence with one flaw. */
  record BrokenFence(Flaw flaw, ConcurrentHashMap<String, Long> highest) implements Fence {

    BrokenFence(Flaw flaw) {
      this(flaw, new ConcurrentHashMap<>());
    }

    @Override
    public void enter(Proof proof) {
      if (flaw == Flaw.ONLY_CHECKS_WRITES) {
        raise(proof);
      } else {
        check(proof);
        if (flaw != Flaw.FORGETS_TO_RAISE) {
          raise(proof);
        }
      }
    }

    @Override
    public void check(Proof proof) {
      if (proof.mode() == Mode.PERMIT && flaw != Flaw.FENCES_PERMITS) {
        throw new IllegalArgumentException("a permit");
      }
      if (proof.mode() == Mode.SHARED && flaw == Flaw.OPEN_TO_READERS) {
        return;
      }
      long current = highest.getOrDefault(name(proof), 0L);
      boolean stale =
          flaw == Flaw.REFUSES_EQUALS ? token(proof) <= current : token(proof) < current;
      if (flaw == Flaw.TAKES_THE_LAST) {
        highest.put(name(proof), token(proof));
      }
      if (stale) {
        throw new StaleTokenException(proof.lock(), proof.token(), current);
      }
    }

    @Override
    public long current(String lock) {
      return flaw == Flaw.TELLS_NOTHING ? 0 : highest.getOrDefault(lock, 0L);
    }

    @Override
    public void reset(String lock, long token) {
      if ((token < 0 || token > Tokens.MAX) && flaw != Flaw.RESETS_TO_ANYTHING) {
        throw new IllegalArgumentException("not a token");
      }
      if (flaw != Flaw.RESETS_UPWARDS_ONLY || token > highest.getOrDefault(lock, 0L)) {
        highest.put(lock, token);
      }
    }

    private void raise(Proof proof) {
      if (proof.mode() == Mode.EXCLUSIVE || flaw == Flaw.RAISED_BY_READERS) {
        highest.merge(name(proof), token(proof), Math::max);
      }
    }

    private String name(Proof proof) {
      return flaw == Flaw.IGNORES_CASE ? proof.lock().toLowerCase(Locale.ROOT) : proof.lock();
    }

    private long token(Proof proof) {
      return flaw == Flaw.COUNTS_IN_INTS ? (int) proof.token() : proof.token();
    }
  }
}
