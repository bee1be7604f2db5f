package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes of five that are down, slow, or have forgotten everything. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedlockFaultsIT {

  private static final Duration LONGEST_TTL = Duration.ofSeconds(3);
  private static final Duration TIMEOUT = Duration.ofSeconds(4);

  private RedlockServers servers;
  private Ticker ticker;
  private LockStore store;
  private String lock;

  @BeforeEach
  void open() {
    servers = RedlockServers.start(5, LONGEST_TTL);
    ticker = Ticker.system("test");
    store = open(servers.url());
    lock = Ask.name();
  }

  @AfterEach
  void close() {
    store.close();
    ticker.close();
    servers.close();
  }

  @Test
  void two_of_five_may_be_down() {
    long before = takeAndLeave();
    servers.node(0).kill();
    servers.node(3).pause();

    Claim claim = claim();
    long token = Ask.granted(store, claim).token();

    assertThat(token).isGreaterThan(before);
    assertThat(Ask.join(store, claim())).isInstanceOf(Busy.class);
    assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
    assertThat(Ask.of(store.inspect(lock)).isHeld()).isTrue();
    assertThat(Ask.of(store.list(lock, 10))).hasSize(1);
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
    assertThat(takeAndLeave()).isGreaterThan(token);
  }

  @Test
  void a_store_opens_while_two_are_down_and_uses_them_when_they_are_back() {
    servers.node(1).pause();
    servers.node(2).pause();
    try (LockStore late = open(servers.url())) {
      servers.node(1).resume();
      servers.node(2).resume();
      servers.node(3).pause();
      servers.node(4).pause();

      patiently().until(() -> isGranted(late, claim()));
    }
  }

  @Test
  void with_three_down_nothing_is_granted_and_nothing_is_called_busy() {
    Claim held = claim();
    Ask.granted(store, held);
    servers.node(0).kill();
    servers.node(1).kill();
    servers.node(2).pause();

    Claim other = Ask.mutex(Ask.name(), LONGEST_TTL);
    failsUntilTwoNodesAnswer(() -> Ask.join(store, other, Deadlines.in(TIMEOUT)));
    assertThat(Ask.refresh(store, held, Deadlines.in(TIMEOUT))).isInstanceOf(Unknown.class);
    failsUntilTwoNodesAnswer(() -> Ask.of(store.inspect(lock)));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(servers.url()))
        .withMessageContaining("Cannot use redlock://")
        .withMessageContaining("2 of 5 nodes remember, 3 are needed");
  }

  /**
   * It fails every time; on a busy machine, fewer than the two healthy nodes may answer in time.
   */
  private static void failsUntilTwoNodesAnswer(ThrowingCallable request) {
    patiently()
        .until(
            () -> {
              Throwable failure = catchThrowable(request);
              assertThat(failure)
                  .isInstanceOf(StoreException.class)
                  .hasMessageMatching("Only [012] of 5 nodes [^\n]*");
              return failure.getMessage().startsWith("Only 2 of 5 nodes");
            });
  }

  /** What was taken on two nodes in vain does not keep others out for its ttl. */
  @Test
  void a_failed_join_leaves_nothing_behind() {
    servers.node(0).pause();
    servers.node(1).pause();
    servers.node(2).pause();
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.join(store, claim(), Deadlines.in(TIMEOUT)));

    for (int node = 0; node < 3; node++) {
      servers.node(node).resume();
    }

    String key = "holdfast:redlock:{" + lock + "}";
    patiently()
        .until(
            () ->
                servers.nodes().stream()
                    .allMatch(node -> Long.valueOf(0).equals(node.command("EXISTS", key))));
  }

  @Test
  void a_node_that_comes_back_empty_rests_and_learns_the_counter() {
    long before = takeAndLeave();
    servers.node(0).kill();
    servers.node(0).restart();

    patiently().until(() -> takeAndLeave() > before && field(0, "born") != null);
    assertThat(field(0, "c")).as("its vote, while it rests").isNull();
    patiently().until(() -> takeAndLeave() > before && field(0, "c") != null);

    String counter = String.valueOf(field(0, "c"));
    assertThat(Long.parseLong(counter)).isGreaterThan(before);
    assertThat(field(0, "longest")).isEqualTo(Long.toString(LONGEST_TTL.toMillis()));
    servers.node(1).kill();
    servers.node(2).kill();
    assertThat(takeAndLeave()).isGreaterThan(before);
  }

  @Test
  void a_node_that_comes_back_with_an_old_snapshot_rests_too() {
    servers.node(0).command("SAVE");
    long before = takeAndLeave();
    servers.node(0).restart();
    assertThat(field(0, "c")).as("what the snapshot brought back").isEqualTo("0");
    servers.node(1).pause();

    assertThat(takeAndLeave()).isGreaterThan(before);
    patiently().until(() -> takeAndLeave() > before && field(0, "born") != null);
    assertThat(field(0, "c")).as("its vote, while it rests").isNull();
  }

  @Test
  void a_node_that_its_operator_vouches_for_votes_as_soon_as_it_is_back() {
    for (int node = 0; node < 3; node++) {
      servers.node(node).command("HSET", "holdfast:redlock:node", "inc", "kept");
    }
    long before = takeAndLeave();
    for (int node = 0; node < 3; node++) {
      servers.node(node).command("SAVE");
      servers.node(node).restart();
    }
    servers.node(3).kill();
    servers.node(4).kill();

    patiently().until(() -> takeAndLeave() > before);
  }

  @Test
  void when_most_have_forgotten_an_operator_must_act() {
    long before = takeAndLeave();
    for (int node = 0; node < 3; node++) {
      servers.node(node).kill();
      servers.node(node).restart();
    }

    patiently()
        .untilAsserted(
            () ->
                assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> Ask.join(store, claim()))
                    .withMessageContaining("3 have forgotten all (too many: an operator must act"));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(servers.url()))
        .withMessageContaining("3 are empty: an operator must set them up");

    for (int node = 0; node < 3; node++) {
      RedlockServers.setUp(servers.node(node), before + 1_000, LONGEST_TTL);
    }
    assertThat(takeAndLeave()).isGreaterThan(before + 1_000);
  }

  /** Only a quorum that says no makes a claim gone. */
  @Test
  void a_holder_is_lost_when_a_quorum_has_it_no_more() {
    Claim claim = claim();
    long token = Ask.granted(store, claim).token();
    String key = "holdfast:redlock:{" + lock + "}";

    servers.node(0).command("DEL", key);
    servers.node(1).command("DEL", key);
    assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
    servers.node(2).command("DEL", key);
    assertThat(Ask.refresh(store, claim)).isEqualTo(Gone.GONE);
  }

  @Test
  void a_slow_network_does_not_hold_up_the_others() {
    try (TcpProxy network = TcpProxy.to("127.0.0.1", servers.node(4).port());
        LockStore slow =
            open(servers.url().replace(":" + servers.node(4).port(), ":" + network.port()))) {
      network.delay(Duration.ofMillis(400));
      long last = 0;
      for (int i = 0; i < 3; i++) {
        Claim claim = claim();
        long token = Ask.granted(slow, claim).token();
        assertThat(token).isGreaterThan(last);
        last = token;
        assertThat(Ask.leave(slow, claim)).isEqualTo(Left.LEFT);
      }
      network.hangAnswers();
      assertThat(isGranted(slow, claim())).isTrue();
    }
  }

  /** Three of five answer too late for a ttl that is short, and in time for a longer one. */
  @Test
  void a_network_too_slow_for_the_ttl_grants_nothing() {
    String url = servers.url();
    List<TcpProxy> networks = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      TcpProxy network = TcpProxy.to("127.0.0.1", servers.node(node).port());
      networks.add(network);
      url = url.replace(":" + servers.node(node).port(), ":" + network.port());
    }
    try (LockStore slow = open(url)) {
      networks.forEach(network -> network.delay(Duration.ofMillis(300)));

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(
              () -> Ask.join(slow, Ask.mutex(lock, Duration.ofMillis(500)), Deadlines.in(TIMEOUT)));
      assertThat(Ask.of(store.inspect(lock)).isHeld()).isFalse();
      patiently().until(() -> isGranted(slow, claim()));
    } finally {
      networks.forEach(TcpProxy::close);
    }
  }

  private long takeAndLeave() {
    Claim claim = claim();
    try {
      long token = ((Granted) Ask.join(store, claim, Deadlines.in(TIMEOUT))).token();
      Ask.leave(store, claim);
      return token;
    } catch (StoreException | ClassCastException notNow) {
      return -1;
    }
  }

  private boolean isGranted(LockStore through, Claim claim) {
    try {
      return Ask.join(through, claim, Deadlines.in(TIMEOUT)) instanceof Granted;
    } catch (StoreException notYet) {
      return false;
    }
  }

  private Object field(int node, String name) {
    return servers.node(node).command("HGET", "holdfast:redlock:node", name);
  }

  private Claim claim() {
    return Ask.mutex(lock, LONGEST_TTL);
  }

  private LockStore open(String url) {
    return new RedlockProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  private static ConditionFactory patiently() {
    return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
  }
}
