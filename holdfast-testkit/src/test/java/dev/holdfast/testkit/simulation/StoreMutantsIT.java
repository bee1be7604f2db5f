package dev.holdfast.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Fence;
import dev.holdfast.Proof;
import dev.holdfast.testkit.broken.BrokenModels;
import dev.holdfast.testkit.promise.Promise;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulation finds stores and fences that are broken on purpose. */
@Timeout(value = 12, unit = TimeUnit.HOURS) // its bounds end it, not the clock
class StoreMutantsIT {

  private static final int HOURS = 30;

  @ParameterizedTest
  @CsvSource({
    "GRANTS_TWO, EXCLUSION",
    "EXPIRES_TOO_EARLY, EXCLUSION/MIN_HOLD",
    "RELEASES_WITHOUT_OWNER_CHECK, EXCLUSION",
    "REVIVES_ON_REFRESH, BUSY_IS_TRUE",
    "REPEATS_THE_TOKEN_AFTER_RELEASE, TOKENS",
    "RESERVES_THE_SAME_TOKENS_TWICE, TOKENS/FIRST_COME",
    "LETS_THE_LAST_IN_FIRST, FIRST_COME",
    "HOLDERS_NEVER_EXPIRE, BUSY_IS_TRUE",
    "KEEPS_WAITERS_THAT_LEAVE, KEPT_IS_GIVEN_BACK",
    "FORGETS_LINGER, MIN_HOLD",
    "GONE_FOR_GRANTED, FIRST_COME",
    "BUSY_FOR_NOTHING, BUSY_IS_TRUE",
    "UNKNOWN_FOR_NOTHING, UNKNOWN_IS_TRUE",
    "LETS_SMALL_ONES_SLIP_PAST, FIRST_COME",
  })
  void it_finds_the_broken_store(String flaw, String expected) { // one of those, parted by /
    finds(Setting.on(BrokenModels.named(flaw)), flaw, expected);
  }

  @Test
  void it_finds_no_fault_in_the_store_that_they_are_made_of() {
    Simulations simulations = new Simulations(Setting.on(BrokenModels.named("NONE")));
    for (long seed = 1; seed <= HOURS / 3; seed++) {
      assertThat(simulations.run(seed)).isEmpty();
    }
  }

  @Test
  void it_finds_a_fence_that_is_raised_by_writes_only() {
    finds(
        Setting.standard()
            .fence(
                () ->
                    new OtherFence() {
                      @Override
                      public void enter(Proof proof) {
                        fence.check(proof);
                      }

                      @Override
                      public void check(Proof proof) {
                        fence.enter(proof);
                      }
                    }),
        "a fence that is raised by writes only",
        "NO_STALE_WRITE");
  }

  @Test
  void it_finds_a_fence_that_is_not_asked_on_writes() {
    finds(
        Setting.standard()
            .fence(
                () ->
                    new OtherFence() {
                      @Override
                      public void check(Proof proof) {}
                    }),
        "a fence that is not asked on writes",
        "NO_STALE_WRITE");
  }

  private static void finds(Setting setting, String flaw, String expected) {
    Simulations simulations = new Simulations(setting);
    for (long seed = 1; seed <= HOURS; seed++) {
      Optional<Failure> failure = simulations.run(seed);
      if (failure.isPresent()) {
        System.out.println(flaw + "\n" + failure.get() + "\n");
        assertThat(expected.split("/"))
            .as(failure.get().toString())
            .contains(group(failure.get().violation().promise()));
        assertThat(failure.get().schedule()).hasSizeLessThan(failure.get().steps() / 4);
        return;
      }
    }
    assertThat(flaw).as("a flaw that nothing shows").isNull();
  }

  /** What a fault breaks first is a matter of the lock that shows it. */
  static String group(Promise promise) {
    return switch (promise) {
      case EXCLUSION, WRITERS_ARE_ALONE, PERMITS, ONE_LEADER, LOSS_FIRST -> "EXCLUSION";
      case TOKENS_RISE, TOKENS_DIFFER, HAND_OFF_RISES -> "TOKENS";
      case TAKEOVER, NOTHING_IS_LEFT -> "TAKEOVER";
      default -> promise.name();
    };
  }

  /** A fence to be broken. */
  private static class OtherFence implements Fence {
    final Fence fence = Fence.inMemory();

    @Override
    public void enter(Proof proof) {
      fence.enter(proof);
    }

    @Override
    public void check(Proof proof) {
      fence.check(proof);
    }

    @Override
    public long current(String lock) {
      return fence.current(lock);
    }

    @Override
    public void reset(String lock, long token) {
      fence.reset(lock, token);
    }
  }
}
