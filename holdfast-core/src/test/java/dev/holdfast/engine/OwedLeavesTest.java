package dev.holdfast.engine;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A caller that tries again and again while the store answers no leave. */
class OwedLeavesTest {

  private static final int TRIES = 10_000;

  /** What a client may owe at a time, however often its callers try. */
  private static final int MOST = 4_096;

  private final Clients clients = Clients.plain();
  private final DistributedLock lock = clients.client.lock("x");

  @AfterEach
  void close() {
    clients.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Manner.class,
      names = {"FAILS", "IGNORES"})
  void what_is_repeated_for_failed_requests_is_bounded(Manner manner) {
    clients.faults.set(Verb.JOIN, Manner.FAILS);
    clients.faults.set(Verb.LEAVE, manner);
    for (int i = 0; i < TRIES; i++) {
      assertThatThrownBy(lock::acquire).isInstanceOf(StoreException.class);
    }
    assertOwesLittle();
  }

  @Test
  void what_is_under_way_for_failed_requests_is_bounded() {
    clients.faults.set(Verb.JOIN, Manner.FAILS);
    clients.faults.set(Verb.LEAVE, Manner.IGNORES);
    for (int i = 0; i < TRIES; i++) {
      assertThatThrownBy(lock::acquire).isInstanceOf(StoreException.class);
    }
    assertThat(clients.store.departures.size()).as("leaves under way").isLessThanOrEqualTo(MOST);
    assertThat(clients.ticker.tasks()).as("timers").isLessThanOrEqualTo(MOST);
  }

  @Test
  void what_is_repeated_for_releases_is_bounded() throws Exception {
    clients.faults.set(Verb.LEAVE, Manner.FAILS);
    for (int i = 0; i < TRIES; i++) {
      Lease lease = clients.client.lock("x" + i).acquire();
      assertThat(lease.releaseAsync()).isCompletedExceptionally();
    }
    assertOwesLittle();
  }

  private void assertOwesLittle() {
    clients.advance(Clients.OPERATION_TIMEOUT); // the first leaves are given up on
    int callsBefore = clients.store.leaves.get();
    List<Departure> departures = clients.store.departures;
    int before = departures.size();
    clients.advance(ofSeconds(10));
    Set<Claim> repeated = new HashSet<>();
    departures.subList(before, departures.size()).forEach(each -> repeated.add(each.claim()));
    assertThat(repeated.size()).as("claims whose leave is repeated").isLessThanOrEqualTo(MOST);
    assertThat(clients.store.leaves.get() - callsBefore)
        .as("calls of leave within ten seconds")
        .isLessThanOrEqualTo(10 * MOST);
    assertThat(clients.ticker.tasks()).as("timers").isLessThanOrEqualTo(MOST);
  }
}
