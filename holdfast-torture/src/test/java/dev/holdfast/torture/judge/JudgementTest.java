package dev.holdfast.torture.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Traits;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.Promise;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.nemesis.CausedFault;
import dev.holdfast.torture.nemesis.Happened;
import dev.holdfast.torture.nemesis.RunOptions;
import dev.holdfast.torture.store.Catalogue;
import dev.holdfast.torture.store.FaultKind;
import dev.holdfast.torture.worker.Plant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JudgementTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  @Test
  void a_store_that_came_back_empty_is_judged_by_what_it_grants_from_then_on() {
    Verdict exclusion = exclusion("redis", FaultKind.SERVER_KILL, 3);
    assertThat(exclusion.broken()).isEqualTo(1);
    assertThat(exclusion.passes()).isFalse();
  }

  @Test
  void what_it_had_granted_before_it_may_have_forgotten() {
    Verdict exclusion = exclusion("redis", FaultKind.SERVER_KILL, 0);
    assertThat(exclusion.broken()).isZero();
    assertThat(exclusion.expected()).isEqualTo(1);
  }

  @Test
  void two_masters_may_grant_beside_each_other_while_a_store_fails_over() {
    Verdict exclusion = exclusion("redis-sentinel", FaultKind.LEADER_KILL, 3);
    assertThat(exclusion.broken()).isZero();
    assertThat(exclusion.expected()).isEqualTo(1);
  }

  /** Of two leases: a fault happens in second 1, the first grant then, the other in second 4. */
  private static Verdict exclusion(String store, FaultKind kind, long first) {
    List<Observation> history =
        List.of(
            asked(first, "w1-1"),
            granted(first, "w1-1", 1),
            new Observation(
                SECOND, "store", What.FORGOT, Construct.NONE, "", 0, 0, -1, null, "it may have"),
            asked(4, "w2-1"),
            granted(4, "w2-1", 2));
    CausedFault fault = new CausedFault(1, kind, "a server", SECOND, SECOND + 1, "", true);
    Happened happened =
        new Happened(
            Catalogue.get(store),
            new RunOptions(1, Duration.ofMinutes(1), 2, Plant.NONE),
            Traits.builder().build(),
            false,
            List.of(fault),
            List.of(),
            0,
            9 * SECOND);
    return Judgement.of(
            history.stream().sorted((one, other) -> Long.compare(one.at(), other.at())).toList(),
            happened)
        .verdict(Promise.EXCLUSION);
  }

  private static Observation asked(long second, String client) {
    return new Observation(
        second * SECOND,
        client + "/t",
        What.ASKED,
        Construct.MUTEX,
        "a",
        1,
        0,
        Observation.UNTIL_TOLD,
        Request.mutex(),
        "");
  }

  private static Observation granted(long second, String client, long token) {
    return new Observation(
        second * SECOND + 1,
        client + "/t",
        What.GRANTED,
        Construct.MUTEX,
        "a",
        1,
        token,
        8 * SECOND,
        null,
        "");
  }
}
