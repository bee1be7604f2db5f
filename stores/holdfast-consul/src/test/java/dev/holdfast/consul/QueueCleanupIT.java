package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.consul.LateAgent.Stall;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims that are in a queue for a moment and cannot stay must not block others. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class QueueCleanupIT {

  private static final String WITHDRAWAL = "\"Verb\":\"delete\"";
  private static final String MOVE = "\"Verb\":\"unlock\"";

  private final ConsulServer server = ConsulFixture.server();
  private final String lock = Ask.name();
  private final Ticker ticker = Ticker.system("strays-it");
  private final ManualTicker driven = new ManualTicker();
  private LateAgent agent;
  private StubAgent stub;
  private LockStore slow;
  private LockStore store;

  @BeforeEach
  void open() {
    agent = new LateAgent(server.port());
    stub = new StubAgent(agent);
    slow = open(stub.url(), ticker);
    store = open(server.url(), driven);
  }

  @AfterEach
  void close() {
    store.close();
    slow.close();
    stub.close();
    ticker.close();
  }

  @Test
  void a_reader_is_granted_while_a_writer_that_does_not_wait_is_about_to_be_answered_busy() {
    Ask.granted(store, reader());
    Stall withdrawal = agent.stallNext(WITHDRAWAL);
    CompletionStage<JoinAnswer> writer = slow.join(writer(), false, Deadlines.far());
    withdrawal.await();

    JoinAnswer second = Ask.join(store, reader());
    withdrawal.goOn();

    assertThat(second).isInstanceOf(Granted.class);
    assertThat(Ask.of(writer)).isInstanceOf(Busy.class);
  }

  @Test
  void a_small_claim_is_granted_while_one_that_is_too_large_is_about_to_be_answered_busy() {
    Ask.granted(store, permits(1, 2));
    Stall withdrawal = agent.stallNext(WITHDRAWAL);
    CompletionStage<JoinAnswer> two = slow.join(permits(2, 2), false, Deadlines.far());
    withdrawal.await();

    JoinAnswer one = Ask.queue(store, permits(1, 2));
    withdrawal.goOn();

    assertThat(one).isInstanceOf(Granted.class);
    assertThat(Ask.of(two)).isInstanceOf(Busy.class);
  }

  @Test
  void a_permit_is_granted_while_a_claim_to_a_mutex_is_about_to_be_refused() {
    Ask.granted(store, permits(1, 2));
    Stall withdrawal = agent.stallNext(WITHDRAWAL);
    CompletionStage<JoinAnswer> stranger = slow.join(Ask.mutex(lock), true, Deadlines.far());
    withdrawal.await();

    JoinAnswer one = Ask.join(store, permits(1, 2));
    withdrawal.goOn();

    assertThat(one).isInstanceOf(Granted.class);
    assertThat(Ask.of(stranger)).isInstanceOf(Mismatch.class);
  }

  @Test
  void a_claim_that_others_removed_is_granted_if_it_fits_by_then() {
    Claim holder = reader();
    Ask.granted(store, holder);
    Stall withdrawal = agent.stallNext(WITHDRAWAL);
    CompletionStage<JoinAnswer> writer = slow.join(writer(), false, Deadlines.far());
    withdrawal.await();
    Claim second = reader();
    Ask.granted(store, second);
    Ask.leave(store, holder);
    Ask.leave(store, second);

    withdrawal.goOn();

    assertThat(Ask.of(writer)).isInstanceOf(Granted.class);
  }

  /** Its client died between its two transactions; its session lives on for the whole ttl. */
  @Test
  void a_dead_try_does_not_block_the_claims_behind_it() {
    Claim holder = Ask.mutex(lock);
    Ask.granted(store, holder);
    Stall withdrawal = agent.stallNext(WITHDRAWAL);
    CompletionStage<JoinAnswer> dead = slow.join(Ask.mutex(lock), false, Deadlines.far());
    withdrawal.await();

    Claim waiter = Ask.mutex(lock);
    assertThat(Ask.queue(store, waiter)).isEqualTo(new Queued(1));
    Ask.leave(store, holder);

    assertThat(Ask.refresh(store, waiter)).isInstanceOf(Granted.class);
    withdrawal.goOn();
    assertThat(Ask.of(dead)).isInstanceOf(Busy.class);
  }

  @Test
  void a_waiter_that_died_before_it_was_on_a_short_session_blocks_no_longer_than_any_other() {
    Ask.granted(store, Ask.mutex(lock));
    Stall move = agent.stallNext(MOVE);
    CompletionStage<JoinAnswer> dead = slow.join(Ask.mutex(lock), true, Deadlines.far());
    move.await();
    Claim waiter = Ask.mutex(lock);

    assertThat(Ask.queue(store, waiter)).isEqualTo(new Queued(2));
    driven.advance(Duration.ofSeconds(6));
    assertThat(Ask.refresh(store, waiter)).isEqualTo(new Queued(2));
    driven.advance(Duration.ofSeconds(6));
    assertThat(Ask.refresh(store, waiter)).isEqualTo(new Queued(1));

    move.goOn(); // it was not dead after all
    assertThat(Ask.of(dead)).isEqualTo(new Queued(2));
  }

  /** Consul accepts 64 operations in a transaction, and more claims than that block this one. */
  @Test
  void a_permit_that_comes_free_is_not_overlooked_however_many_hold_the_others() {
    List<Claim> holders = new ArrayList<>();
    for (int i = 0; i < 65; i++) {
      holders.add(permits(1, 66));
      Ask.granted(store, holders.get(i));
    }
    Stall withdrawal = agent.stallNext(WITHDRAWAL);
    CompletionStage<JoinAnswer> two = slow.join(permits(2, 66), false, Deadlines.far());
    withdrawal.await();

    Ask.leave(store, holders.get(64));
    withdrawal.goOn();

    assertThat(Ask.of(two)).isInstanceOf(Granted.class);
  }

  private static LockStore open(String url, Ticker clock) {
    return new ConsulProvider().open(url, new StoreSettings(clock, Duration.ofSeconds(20)));
  }

  private Claim reader() {
    return claim(Kind.READ_WRITE, 1, Kind.UNBOUNDED);
  }

  private Claim writer() {
    return claim(Kind.READ_WRITE, Kind.UNBOUNDED, Kind.UNBOUNDED);
  }

  private Claim permits(int permits, int capacity) {
    return claim(Kind.SEMAPHORE, permits, capacity);
  }

  private Claim claim(Kind kind, int weight, int capacity) {
    Claim plain = Ask.mutex(lock);
    return new Claim(
        plain.id(), lock, kind, weight, capacity, plain.owner(), plain.ttl(), null, 0, 0);
  }
}
