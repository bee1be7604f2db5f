package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections break and servers fall silent: unknown, in time, and nothing happens later. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class BrokenConnectionIT {

  private static final Duration TIMEOUT = Duration.ofMillis(1_500);

  private RedisServer server;
  private Ticker ticker;
  private LockStore store;

  @BeforeEach
  void open() {
    server = RedisServer.start("appendonly yes", "appendfsync always");
    ticker = Ticker.system("test");
    store = new RedisProvider().open(server.url(), new StoreSettings(ticker, TIMEOUT));
  }

  @AfterEach
  void close() {
    store.close();
    ticker.close();
    server.close();
  }

  @Test
  void a_silent_server_is_unknown_at_the_deadline() {
    Claim held = Ask.mutex("held");
    Ask.granted(store, held);
    server.pause();

    CompletableFuture<Standing> refresh =
        store
            .refresh(List.of(held), Deadlines.in(TIMEOUT))
            .toCompletableFuture()
            .thenApply(all -> all.get(held));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.join(store, Ask.mutex("other"), Deadlines.in(TIMEOUT)))
        .withMessageContaining("No answer from redis://127.0.0.1")
        .withMessageContaining("of 'other'");
    assertThat(refresh.join()).isInstanceOf(Unknown.class);

    server.resume();
    Awaitility.await().until(() -> Ask.refresh(store, held) instanceof Granted);
  }

  /** TCP itself would wait for minutes for a machine that has lost its power. */
  @Test
  void a_silent_connection_is_given_up_for_a_new_one() {
    Claim held = Ask.mutex("held");
    Ask.granted(store, held);
    List<String> before = connections();
    server.pause();

    assertThat(Ask.refresh(store, held, Deadlines.in(TIMEOUT))).isInstanceOf(Unknown.class);

    server.resume();
    Awaitility.await().until(() -> Ask.refresh(store, held) instanceof Granted);
    Awaitility.await()
        .untilAsserted(() -> assertThat(connections()).hasSameSizeAs(before).isNotEqualTo(before));
  }

  /** What is under way for others goes on. */
  @Test
  void a_short_deadline_alone_does_not_break_the_connection() {
    Claim held = Ask.mutex("held");
    Ask.granted(store, held);
    List<String> before = connections();
    server.pause();
    CompletableFuture<?> patient =
        store.join(Ask.mutex("other"), false, Deadlines.far()).toCompletableFuture();

    assertThat(Ask.refresh(store, held, Deadlines.in(Duration.ofMillis(20))))
        .isInstanceOf(Unknown.class);

    server.resume();
    assertThat(Ask.of(patient)).isInstanceOf(Granted.class);
    assertThat(connections()).isEqualTo(before);
  }

  @Test
  void a_deadline_beyond_the_operation_timeout_is_waited_for() {
    server.pause();
    ticker.schedule(TIMEOUT.multipliedBy(2), server::resume);

    assertThat(Ask.join(store, Ask.mutex("lock"))).isInstanceOf(Granted.class);
  }

  /** The ids of the store's connections. */
  private List<String> connections() {
    return ((String) server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains("name=holdfast"))
        .map(line -> line.split(" ", -1)[0])
        .toList();
  }

  @Test
  void a_dead_server_is_unknown_at_once_and_used_again_when_it_is_back() {
    Claim held = Ask.mutex("held");
    long token = Ask.granted(store, held).token();
    server.kill();

    Awaitility.await()
        .untilAsserted(
            () ->
                assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> Ask.join(store, Ask.mutex("other")))
                    .withMessageContaining("not connected"));
    assertThat(Ask.refresh(store, held)).isInstanceOf(Unknown.class);
    assertThat(Ask.leave(store, held)).isEqualTo(Left.UNKNOWN);

    server.restart();
    Awaitility.await().until(() -> Ask.refresh(store, held) instanceof Granted);
    assertThat(((Granted) Ask.refresh(store, held)).token()).isEqualTo(token);
    assertThat(Ask.leave(store, held)).isEqualTo(Left.LEFT);
  }

  /** It would end claims that the first run had granted. */
  @Test
  void an_eviction_is_not_sent_again_when_its_connection_breaks() {
    Ask.granted(store, Ask.mutex("held"));
    server.pause();
    CompletableFuture<Boolean> eviction =
        store.evict("held", LockStore.ANY_TOKEN).toCompletableFuture();
    server.kill();

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(eviction))
        .withMessageContaining("may or may not have taken effect");
    server.restart();
    Awaitility.await().until(() -> isAnswered(store));
    assertThat(Ask.of(store.inspect("held")).isHeld()).isTrue();
  }

  /** It may run twice, so the caller need not know that the connection broke. */
  @Test
  void a_join_is_sent_again_when_its_connection_breaks_and_is_back_in_time() {
    Claim claim = Ask.mutex("lock");
    server.pause();
    CompletableFuture<?> join = store.join(claim, false, Deadlines.far()).toCompletableFuture();
    server.kill();
    server.restart();

    // Or the connection was reset, which the client does not survive; then it must not come later.
    try {
      assertThat(Ask.of(join)).isInstanceOf(Granted.class);
    } catch (StoreException reset) {
      Awaitility.await().until(() -> isAnswered(store));
      assertThat(Ask.of(store.inspect("lock")).isHeld()).isFalse();
    }
  }

  @Test
  void a_join_whose_deadline_has_passed_is_not_sent_when_the_server_is_back() {
    server.pause();
    CompletableFuture<?> join =
        store.join(Ask.mutex("lock"), false, Deadlines.in(TIMEOUT)).toCompletableFuture();
    server.kill();
    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> Ask.of(join));

    server.restart();

    Awaitility.await().until(() -> isAnswered(store));
    assertThat(Ask.of(store.inspect("lock")).isHeld()).isFalse();
  }

  @Test
  void hints_come_again_after_a_reconnection() {
    Claim holder = Ask.mutex("lock");
    Claim waiter = Ask.mutex("lock");
    AtomicInteger hints = new AtomicInteger();
    Ask.granted(store, holder);
    store.observe("lock", hints::incrementAndGet);
    assertThat(Ask.queue(store, waiter)).isInstanceOf(Queued.class);

    server.command("CLIENT", "KILL", "TYPE", "pubsub");
    // A client that listens again may have missed messages, so it is woken.
    Awaitility.await().until(() -> hints.get() > 0);
    hints.set(0);
    Ask.leave(store, holder);

    Awaitility.await().until(() -> hints.get() > 0);
    assertThat(Ask.refresh(store, waiter)).isInstanceOf(Granted.class);
  }

  private static boolean isAnswered(LockStore store) {
    try {
      Ask.of(store.inspect("any"));
      return true;
    } catch (StoreException e) {
      return false;
    }
  }
}
