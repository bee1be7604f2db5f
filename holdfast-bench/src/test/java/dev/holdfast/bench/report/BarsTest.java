package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.bench.redis.RedisStore;
import dev.holdfast.bench.report.Results.Failure;
import dev.holdfast.bench.report.Results.Sample;
import dev.holdfast.bench.sql.SqlStore;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BarsTest {

  private static final String ASKING = "Holdfast, no hand-off";

  private final Store redis = new RedisStore();
  private final Results results = new Results();

  @Test
  void what_was_not_measured_is_not_judged() {
    assertThat(Bars.judge(redis, results)).isEmpty();
  }

  @Test
  void a_bar_is_met_up_to_its_limit_and_not_beyond() {
    add("redis", "uncontended", ASKING, Metric.RATE, 100);
    add("redis", "uncontended", "floor", Metric.RATE, 115);
    add("redis", "many-locks", ASKING, Metric.RATE, 100);
    add("redis", "many-locks", "floor", Metric.RATE, 126);
    assertThat(Bars.judge(redis, results))
        .extracting(Verdict::workload, Verdict::met)
        .containsExactly(tuple("uncontended", true), tuple("many-locks", false));
  }

  @Test
  void only_peers_that_check_the_owner_count_where_nobody_disturbs() {
    add("redis", "uncontended", ASKING, Metric.RATE, 100);
    add("redis", "uncontended", "ShedLock Redis", Metric.RATE, 1000);
    add("redis", "uncontended", "Redisson RLock", Metric.RATE, 50);
    add("redis", "uncontended", "Redisson fair", Metric.RATE, 40);
    assertThat(Bars.judge(redis, results))
        .extracting(Verdict::figure, Verdict::met)
        .containsExactly(tuple("2 (2–2) × Redisson RLock", true));
  }

  @Test
  void
      a_hand_off_is_measured_against_peers_where_it_is_pushed_and_against_time_where_it_is_polled() {
    add("redis", "hand-off", "Holdfast", Metric.HAND_OFF, 2);
    add("redis", "hand-off", "Redisson RLock", Metric.HAND_OFF, 1);
    add("mariadb", "hand-off", "Holdfast", Metric.HAND_OFF, 10);
    assertThat(Bars.judge(redis, results)).extracting(Verdict::met).containsExactly(false);
    assertThat(Bars.judge(SqlStore.MARIADB, results))
        .extracting(Verdict::met)
        .containsExactly(true);
  }

  @Test
  void what_rises_with_the_number_of_waiters_is_not_flat() {
    add("redis", "requests", "Holdfast", Metric.perTurn(1), 1);
    add("redis", "requests", "Holdfast", Metric.perTurn(100), 2);
    assertThat(Bars.judge(redis, results))
        .extracting(Verdict::figure, Verdict::met)
        .containsExactly(tuple("1", true), tuple("2", true), tuple("1 → 2", false));
  }

  @Test
  void a_database_that_waits_for_its_disk_is_measured_against_all_its_peers() {
    Store durable = SqlStore.POSTGRESQL_DURABLE;
    add(durable.name(), "many-locks", ASKING, Metric.RATE, 100);
    add(durable.name(), "many-locks", "floor", Metric.RATE, 111);
    add(durable.name(), "many-locks", "ShedLock JDBC", Metric.RATE, 101);
    assertThat(Bars.judge(durable, results)).extracting(Verdict::met).containsExactly(false, false);
  }

  @Test
  void clients_share_a_lock_evenly_and_a_kept_claim_spares_requests() {
    add("redis", "fairness", "Holdfast", Metric.CLIENT_SPREAD, 2.1);
    add("redis", "fairness-1ms", "Holdfast", Metric.CLIENT_SPREAD, 1.9);
    add("redis", "repeat", "Holdfast", Metric.RATE, 499_999);
    add("redis", "repeat", "Holdfast", Metric.PER_REQUEST, 20);
    assertThat(Bars.judge(redis, results))
        .extracting(Verdict::workload, Verdict::met)
        .containsExactly(
            tuple("repeat", false),
            tuple("repeat", true),
            tuple("fairness", false),
            tuple("fairness-1ms", true));
  }

  @Test
  void every_bar_says_what_it_means_where_it_is_missed() {
    results.add(new Failure("redis", "held", "Holdfast", "no answer"));
    add("redis", "one-lock", "Holdfast", Metric.SPREAD, 3);
    assertThat(Bars.judge(redis, results))
        .hasSize(2)
        .allSatisfy(verdict -> assertThat(verdict.meaning()).endsWith(".").contains(" "));
  }

  @Test
  void what_has_failed_is_not_met() {
    results.add(new Failure("redis", "held", "Holdfast", "no answer"));
    assertThat(Bars.judge(redis, results))
        .extracting(Verdict::workload, Verdict::bar, Verdict::figure, Verdict::met)
        .containsExactly(tuple("held", "runs", "no answer", false));
  }

  private void add(String store, String workload, String contender, Metric metric, double value) {
    int round = 0;
    results.add(new Sample(store, workload, contender, round, Map.of(metric, value)));
  }
}
