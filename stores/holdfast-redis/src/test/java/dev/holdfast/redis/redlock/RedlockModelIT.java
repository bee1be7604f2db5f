package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.redlock.NodeModel.Flaw;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol itself, as the store speaks it; and that what is wrong in it would be found. */
class RedlockModelIT {

  private static final int GRANTS = 300;

  // The rarest flaw takes some thousand grants to show; this is where it does at once.
  private static final int FIRST_SEED = 20;
  private static final int SEEDS = 20;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void tokens_rise_and_holders_never_overlap_while_clocks_are_good(long seed) {
    QuorumRun run = new QuorumRun(seed, 5, true, false, null).until(GRANTS);

    assertThat(run.disorders()).as("tokens out of order, seed %s", seed).isZero();
    assertThat(run.overlaps()).as("holders at the same time, seed %s", seed).isZero();
    assertThat(run.restarts()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void tokens_rise_even_where_exclusion_is_broken(long seed) {
    QuorumRun run = new QuorumRun(seed, 5, true, true, null).until(GRANTS);

    assertThat(run.disorders()).as("tokens out of order, seed %s", seed).isZero();
    assertThat(run.restarts()).isPositive();
  }

  /** Otherwise the tests above would show nothing. */
  @Test
  void clocks_that_jump_do_break_exclusion() {
    QuorumRun run = new QuorumRun(11, 5, false, true, null).until(GRANTS);

    assertThat(run.overlaps()).isPositive();
    assertThat(run.disorders()).isZero();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LETS_GO_EARLY")
  void a_node_that_breaks_the_protocol_breaks_the_order_of_tokens(Flaw flaw) {
    LongStream seeds = LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS);

    assertThat(seeds.anyMatch(seed -> isFound(flaw, seed))).isTrue();
  }

  private static boolean isFound(Flaw flaw, long seed) {
    return new QuorumRun(seed, 3, true, true, flaw).until(GRANTS).disorders() > 0;
  }

  @Test
  void nodes_that_let_go_early_are_found() {
    QuorumRun run = new QuorumRun(1, 5, false, false, Flaw.LETS_GO_EARLY).until(GRANTS);

    assertThat(run.overlaps()).isPositive();
  }
}
