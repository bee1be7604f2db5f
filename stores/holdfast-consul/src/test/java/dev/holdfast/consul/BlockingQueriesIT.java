package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Blocking queries with unusual answers: waiters are woken all the same, and no agent is flooded.
 */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class BlockingQueriesIT {

  private static final Duration TTL = Duration.ofSeconds(60);

  private final ConsulServer server = ConsulFixture.server();
  private final ManualTicker ticker = new ManualTicker();
  private final String lock = Ask.name();
  private final Claim holder = Ask.mutex(lock, TTL);
  private final AtomicInteger hints = new AtomicInteger();
  private LateAgent agent;
  private StubAgent stub;
  private LockStore holding;
  private LockStore waiting;

  @BeforeEach
  void open() {
    agent = new LateAgent(server.port());
    stub = new StubAgent(agent);
    holding = open(server.url());
    waiting = open(stub.url());
    Ask.granted(holding, holder);
  }

  @AfterEach
  void close() {
    waiting.close();
    holding.close();
    stub.close();
  }

  /** As after a snapshot was restored: new indexes are smaller than old ones. */
  @Test
  void an_index_that_goes_back_is_forgotten_and_waiters_are_still_woken() {
    join();
    agent.sayIndex(index -> "1");
    change();
    awaitRested(() -> agent.count("index=0") > 0);
    agent.sayIndex(index -> index);

    Ask.leave(holding, holder);

    awaitRested(() -> hints.get() == 1);
  }

  @Test
  void without_an_index_in_the_answers_an_agent_is_not_asked_without_rest() {
    agent.sayIndex(index -> "");
    join();
    change();
    Awaitility.await().until(() -> agent.count("/v1/kv/") == 1);

    Awaitility.await() // the clock stands still
        .during(Duration.ofMillis(300))
        .until(() -> agent.count("/v1/kv/") == 1);
    Ask.leave(holding, holder);

    awaitRested(() -> hints.get() == 1);
  }

  @Test
  void a_record_that_cannot_be_read_does_not_end_the_waiting() throws Exception {
    join();
    String key = server.get("/v1/kv/holdfast/" + lock + "@?keys");
    String first = KeyPaths.path(new KeyPaths("holdfast/").claim(holder));
    assertThat(key).contains(first.substring(first.indexOf('@')));
    server.put(first, "2 as a later version writes it");
    awaitRested(() -> hints.get() == 1);

    Ask.leave(holding, holder);

    awaitRested(() -> hints.get() == 2);
  }

  private void join() {
    waiting.observe(lock, hints::incrementAndGet);
    assertThat(Ask.queue(waiting, Ask.mutex(lock, TTL))).isInstanceOf(Queued.class);
    Awaitility.await().until(() -> agent.count("/v1/kv/") == 1);
  }

  /** The holder changes in a way that does not matter to the waiter. */
  private void change() {
    Ask.refresh(holding, holder.publishing("news"));
  }

  private void awaitRested(java.util.function.BooleanSupplier condition) {
    Awaitility.await()
        .until(
            () -> {
              ticker.advance(Duration.ofMillis(100));
              return condition.getAsBoolean();
            });
  }

  private LockStore open(String url) {
    return new ConsulProvider().open(url, new StoreSettings(ticker, Duration.ofMinutes(1)));
  }
}
