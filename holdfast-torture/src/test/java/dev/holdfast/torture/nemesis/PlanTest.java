package dev.holdfast.torture.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.torture.store.Catalogue;
import dev.holdfast.torture.store.FaultKind.Lane;
import dev.holdfast.torture.store.Target;
import dev.holdfast.torture.worker.Plant;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlanTest {

  private static final Duration LENGTH = Duration.ofMinutes(20);

  @Test
  void the_same_seed_plans_the_same_faults() {
    assertThat(plan(7, Catalogue.get("redis"))).isEqualTo(plan(7, Catalogue.get("redis")));
  }

  @Test
  void another_seed_plans_others() {
    assertThat(plan(7, Catalogue.get("redis"))).isNotEqualTo(plan(8, Catalogue.get("redis")));
  }

  @ParameterizedTest
  @MethodSource("targets")
  void a_long_run_causes_every_fault_that_the_store_can_suffer(Target target) {
    Set<?> kinds = plan(1, target).stream().map(PlannedFault::kind).collect(Collectors.toSet());
    assertThat(kinds).isEqualTo(EnumSet.copyOf(target.faults()));
  }

  @ParameterizedTest
  @MethodSource("targets")
  void six_minutes_plan_more_than_150_faults_though_not_all_can_be_caused(Target target) {
    RunOptions options = new RunOptions(18, Duration.ofMinutes(6), 4, Plant.NONE);
    assertThat(options.plan(target, true)).hasSizeGreaterThan(180);
  }

  @ParameterizedTest
  @MethodSource("targets")
  void servers_suffer_one_fault_at_a_time_and_are_well_in_the_end(Target target) {
    List<PlannedFault> servers =
        plan(1, target).stream().filter(fault -> fault.kind().lane() == Lane.SERVER).toList();
    Duration last = Duration.ZERO;
    for (PlannedFault fault : servers) {
      assertThat(fault.at()).isGreaterThanOrEqualTo(last);
      last = fault.at().plus(fault.duration());
    }
    assertThat(last).isLessThanOrEqualTo(LENGTH.minus(target.ttl().multipliedBy(3)));
  }

  static List<Target> targets() {
    return Catalogue.all();
  }

  private static List<PlannedFault> plan(long seed, Target target) {
    return new RunOptions(seed, LENGTH, 4, Plant.NONE).plan(target, true);
  }
}
