package dev.holdfast.leased;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.HandTicker;
import dev.holdfast.leased.KeptLease.SendTime;
import dev.holdfast.leased.LeaseClasses.LeaseClass;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LeaseClassesTest {

  private static final Duration TTL = Duration.ofSeconds(2);

  private final HandTicker ticker = new HandTicker();
  private final Failures failures = new Failures("store:");
  private final List<CompletableFuture<Boolean>> renewals = new ArrayList<>();
  private final List<CompletableFuture<TestLease>> openings = new ArrayList<>();
  private long epoch;

  private final LeaseClasses<TestLease> leases =
      new LeaseClasses<>(
          (seconds, deadline) -> {
            CompletableFuture<TestLease> opening = new CompletableFuture<>();
            openings.add(opening);
            return opening;
          },
          () -> epoch,
          Duration.ofSeconds(1),
          failures);

  private final class TestLease extends KeptLease {
    TestLease() {
      super("lease", 3, epoch, SendTime.now(ticker), ticker, failures);
    }

    @Override
    protected CompletableFuture<Boolean> askToRenew(Deadline deadline) {
      CompletableFuture<Boolean> renewal = new CompletableFuture<>();
      renewals.add(renewal);
      return renewal;
    }
  }

  @Test
  void claims_of_one_ttl_share_a_lease_that_lasts_for_a_spare_second_more() {
    assertThat(leases.of(Duration.ofMillis(1001))).isSameAs(leases.of(TTL));
    assertThat(leases.seconds(TTL)).isEqualTo(3);

    CompletableFuture<TestLease> one = leases.of(TTL).renewed(in(5));
    CompletableFuture<TestLease> other = leases.of(TTL).renewed(in(5));
    TestLease lease = new TestLease();
    openings.get(0).complete(lease);

    assertThat(one).isCompletedWithValue(lease);
    assertThat(other).isCompletedWithValue(lease);
    assertThat(renewals).isEmpty();
  }

  @Test
  void a_ttl_that_is_not_used_any_more_is_forgotten() {
    LeaseClass<TestLease> two = leases.of(TTL);
    leases.of(Duration.ofSeconds(3));

    assertThat(leases.of(TTL)).isNotSameAs(two);
  }

  @Test
  void a_lease_is_renewed_once_its_spare_time_is_over() {
    TestLease lease = open();
    ticker.advance(Duration.ofSeconds(1));

    CompletableFuture<TestLease> renewed = leases.of(TTL).renewed(in(5));
    CompletableFuture<TestLease> sharing = leases.of(TTL).renewed(in(5));
    assertThat(renewals).hasSize(1);
    renewals.get(0).complete(true);

    assertThat(renewed).isCompletedWithValue(lease);
    assertThat(renewals).hasSize(2); // the first was sent before the second operation began
    renewals.get(1).complete(true);
    assertThat(sharing).isCompletedWithValue(lease);
  }

  @Test
  void a_lease_that_has_ended_or_is_of_an_earlier_epoch_is_replaced() {
    open();
    ticker.advance(Duration.ofSeconds(1));
    CompletableFuture<TestLease> replaced = leases.of(TTL).renewed(in(5));
    renewals.get(0).complete(false);
    TestLease second = new TestLease();
    openings.get(1).complete(second);
    assertThat(replaced).isCompletedWithValue(second);

    epoch++;
    CompletableFuture<TestLease> later = leases.of(TTL).renewed(in(5));
    assertThat(later).isNotDone();
    assertThat(openings).hasSize(3);
  }

  @Test
  void a_renewal_that_is_answered_after_the_lease_may_have_ended_does_not_count() {
    open();
    ticker.advance(Duration.ofSeconds(1));
    CompletableFuture<TestLease> late = leases.of(TTL).renewed(in(9));
    ticker.advance(Duration.ofSeconds(2));

    renewals.get(0).complete(true);

    assertThat(late).isNotDone();
    assertThat(openings).hasSize(2);
  }

  @Test
  void a_lease_that_many_wait_for_does_not_fail_early_for_those_with_more_time() {
    CompletableFuture<TestLease> hurried = leases.of(TTL).renewed(in(1));
    CompletableFuture<TestLease> patient = leases.of(TTL).renewed(in(4));

    ticker.advance(Duration.ofSeconds(2));
    assertThat(hurried).isCompletedExceptionally();
    openings.get(0).completeExceptionally(failures.noAnswer("lease", "", "time-out", null));

    assertThat(patient).isNotDone();
    assertThat(openings).hasSize(2);
  }

  @Test
  void an_armed_lease_is_known_before_its_renewal_is_answered() {
    TestLease lease = open();

    LeaseClass.Armed<TestLease> armed = leases.of(TTL).arm(in(5)).join();

    assertThat(armed.lease()).isSameAs(lease);
    assertThat(armed.renewed()).isNotDone();
    renewals.get(0).complete(false);
    assertThat(armed.renewed()).isCompletedWithValue(false);
    assertThat(leases.current()).isEmpty();
  }

  private TestLease open() {
    leases.of(TTL).renewed(in(5));
    TestLease lease = new TestLease();
    openings.get(openings.size() - 1).complete(lease);
    return lease;
  }

  private Deadline in(int seconds) {
    return Deadline.in(Duration.ofSeconds(seconds), ticker);
  }
}
