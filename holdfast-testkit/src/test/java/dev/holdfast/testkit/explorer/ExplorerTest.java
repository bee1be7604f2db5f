package dev.holdfast.testkit.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every order of events of the small worlds, within their bounds. To explore further: {@code
 * -Dholdfast.explorer.deviations=N} adds N deviations to each world.
 */
class ExplorerTest {

  private static final int MORE = Integer.getInteger("holdfast.explorer.deviations", 0);

  @ParameterizedTest
  @MethodSource("worlds")
  @Timeout(value = 12, unit = TimeUnit.HOURS) // its bounds end it, not the clock
  void no_order_of_events_violates_an_invariant(String name) {
    World world = Worlds.named(name);

    Report report = Explorer.explore(world.deviating(world.deviations() + MORE));

    System.out.println(report);
    assertThat(report.violation()).as(report.toString()).isNull();
    assertThat(report.states()).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"two clients", "two clients, two threads each", "a lease moves"})
  void the_same_world_gives_the_same_exploration(String name) {
    World world = Worlds.named(name).deviating(1);
    Report once = Explorer.explore(world);

    Report again = Explorer.explore(world);

    assertThat(again.states()).isEqualTo(once.states());
    assertThat(again.runs()).isEqualTo(once.runs());
  }

  static List<String> worlds() {
    return Worlds.all().stream().map(World::name).toList();
  }
}
