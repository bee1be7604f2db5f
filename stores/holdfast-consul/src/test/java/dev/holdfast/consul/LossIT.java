package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holders are told that they have lost their locks without waiting for their next renewal. */
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
  void of_a_session_that_is_destroyed_by_hand_all_holders_hear_at_once() throws Exception {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < Hints.HELD + 4; i++) {
      leases.add(held(Ask.name()));
    }
    holdOn();
    awaitWithoutRenewal(() -> agent.count("/v1/session/info/") >= 2); // the second one blocks

    server.put(
        "/v1/session/destroy/" + ConsulFixture.sessionOf(server, leases.get(0).lockName()), "");

    awaitWithoutRenewal(() -> losses.get() == leases.size());
  }

  @Test
  void of_a_key_that_is_deleted_by_hand_its_holder_hears_at_once() throws Exception {
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
  void who_evicts_a_holder_need_not_wait_for_its_next_renewal() throws Exception {
    Lease lease = held(Ask.name());
    holdOn();
    awaitWithoutRenewal(() -> agent.count("/v1/kv/holdfast/" + lease.lockName() + "@") >= 1);
    try (Holdfast operator = Holdfast.connect(server.url())) {
      assertThat(operator.breakLock(lease.lockName())).isTrue();
    }

    awaitWithoutRenewal(() -> losses.get() == 1);
  }

  /** More connections than places would be a burden for the agent. */
  @Test
  void only_so_many_keys_are_asked_for() throws Exception {
    for (int i = 0; i < Hints.HELD + 4; i++) {
      held(Ask.name());
    }
    holdOn();
    awaitWithoutRenewal(() -> agent.count("/v1/session/info/") >= 2);

    awaitWithoutRenewal(() -> agent.count("/v1/kv/holdfast/") >= Hints.HELD);
    assertThat(agent.count("/v1/kv/holdfast/")).isEqualTo(Hints.HELD);
  }

  private Lease held(String lock) throws InterruptedException {
    Lease lease = locks.lock(lock).acquire();
    lease.onLost(losses::incrementAndGet);
    return lease;
  }

  private void holdOn() {
    ticker.advance(Hints.WHILE);
  }

  /** Before any renewal is due: far more than half of the ttl is left of each lease. */
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
