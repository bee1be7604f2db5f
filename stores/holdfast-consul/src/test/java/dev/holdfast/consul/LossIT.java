package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holders learn that they have lost their locks before their next renewal. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class LossIT {

  private static final Duration TTL = Duration.ofSeconds(60);

  private final ConsulServer server = ConsulFixture.server();
  private final ManualTicker ticker = new ManualTicker();
  private final AtomicInteger losses = new AtomicInteger();
  private LateAgent agent;
  private StubAgent stub;
  private Holdfast locks;

  @BeforeEach
  void open() {
    agent = new LateAgent(server.port());
    stub = new StubAgent(agent);
    locks =
        Holdfast.builder()
            .store(stub.url())
            .defaults(LockOptions.defaults().ttl(TTL))
            .ticker(ticker)
            .build();
  }

  @AfterEach
  void close() {
    locks.close();
    stub.close();
  }

  @Test
  void all_holders_on_a_session_that_is_destroyed_by_hand_are_woken_at_once() throws Exception {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < ConsulWatches.HELD + 4; i++) {
      leases.add(held(Ask.name()));
    }
    holdOn();
    awaitWithoutRenewal(() -> agent.count("/v1/session/info/") >= 2); // the second one blocks

    server.put(
        "/v1/session/destroy/" + ConsulFixture.sessionOf(server, leases.get(0).lockName()), "");

    awaitWithoutRenewal(() -> losses.get() == leases.size());
  }

  @Test
  void a_holder_whose_key_is_deleted_by_hand_is_woken_at_once() throws Exception {
    Lease lease = held(Ask.name());
    Lease kept = held(Ask.name());
    holdOn();
    awaitWithoutRenewal(() -> agent.count("/v1/kv/holdfast/" + lease.lockName() + "@") >= 1);

    server.put("/v1/txn", "[{\"KV\":{\"Verb\":\"delete-tree\",\"Key\":\"" + queue(lease) + "\"}}]");

    awaitWithoutRenewal(() -> losses.get() == 1);
    assertThat(lease.isValid()).isFalse();
    assertThat(kept.isValid()).isTrue();
  }

  @Test
  void an_evicted_holder_finds_out_before_its_next_renewal() throws Exception {
    Lease lease = held(Ask.name());
    holdOn();
    awaitWithoutRenewal(() -> agent.count("/v1/kv/holdfast/" + lease.lockName() + "@") >= 1);
    try (Holdfast operator = Holdfast.connect(server.url())) {
      assertThat(operator.breakLock(lease.lockName())).isTrue();
    }

    awaitWithoutRenewal(() -> losses.get() == 1);
  }

  /** Each watched key costs the agent a connection. */
  @Test
  void the_number_of_watched_keys_is_limited() throws Exception {
    for (int i = 0; i < ConsulWatches.HELD + 4; i++) {
      held(Ask.name());
    }
    holdOn();
    awaitWithoutRenewal(() -> agent.count("/v1/session/info/") >= 2);

    awaitWithoutRenewal(() -> agent.count("/v1/kv/holdfast/") >= ConsulWatches.HELD);
    assertThat(agent.count("/v1/kv/holdfast/")).isEqualTo(ConsulWatches.HELD);
  }

  private Lease held(String lock) throws InterruptedException {
    Lease lease = locks.lock(lock).acquire();
    lease.onLost(losses::incrementAndGet);
    return lease;
  }

  private void holdOn() {
    ticker.advance(Duration.ofSeconds(1));
  }

  /** Before any renewal is due: far more than half of the ttl is left. */
  private void awaitWithoutRenewal(BooleanSupplier condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              ticker.advance(Duration.ofMillis(1));
              assertThat(ticker.sinceStart()).isLessThan(TTL.dividedBy(3));
              return condition.getAsBoolean();
            });
  }

  private static String queue(Lease lease) {
    return "holdfast/" + lease.lockName() + "@";
  }
}
