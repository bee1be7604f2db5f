package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Ask;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A live session does not prove a claim. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class SessionIT {

  private final ConsulServer server = ConsulFixture.server();
  private final String lock = Ask.name();
  private ConsulFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ConsulFixture(server.url(), () -> {});
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void a_key_that_is_deleted_by_hand_is_a_loss_while_its_session_lives_on() throws Exception {
    try (LockStore store = fixture.open()) {
      Claim lost = Ask.mutex(lock);
      Claim kept = Ask.mutex(Ask.name());
      Ask.granted(store, lost);
      long token = Ask.granted(store, kept).token();

      delete("holdfast/" + lock + "@");

      assertThat(Ask.refresh(store, lost)).isEqualTo(Gone.GONE);
      assertThat(Ask.refresh(store, kept)).isEqualTo(new Granted(token));
    }
  }

  @Test
  void a_session_that_is_destroyed_takes_all_its_claims_and_the_next_gets_a_new_one()
      throws Exception {
    try (LockStore store = fixture.open();
        LockStore other = fixture.open()) {
      Claim holder = Ask.mutex(lock);
      long token = Ask.granted(store, holder).token();
      String session = ConsulFixture.sessionOf(server, lock);
      Claim waiter = Ask.mutex(lock);
      Ask.queue(other, waiter);

      server.put("/v1/session/destroy/" + session, "");

      assertThat(Ask.refresh(store, holder)).isEqualTo(Gone.GONE);
      assertThat(((Granted) Ask.refresh(other, waiter)).token()).isGreaterThan(token);
      assertThat(Ask.granted(store, Ask.mutex(Ask.name())).token()).isGreaterThan(token);
    }
  }

  @Test
  void a_claim_that_is_not_renewed_ends_though_its_neighbours_keep_the_session_alive() {
    Duration ttl = Duration.ofSeconds(1);
    try (Ticker ticker = Ticker.system("session-it");
        LockStore store = open(ticker, fixture.url().orElseThrow())) {
      Claim forgotten = Ask.mutex(lock, ttl);
      Claim kept = Ask.mutex(Ask.name(), ttl);
      Ask.granted(store, forgotten);
      long token = Ask.granted(store, kept).token();

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                assertThat(Ask.refresh(store, kept)).isEqualTo(new Granted(token));
                return !Ask.of(store.inspect(lock)).isHeld();
              });
    }
  }

  @Test
  void a_join_whose_answer_is_lost_leaves_no_ghost_once_it_is_withdrawn() {
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", server.port());
        Ticker ticker = Ticker.system("session-it");
        LockStore store = open(ticker, "consul://127.0.0.1:" + proxy.port());
        LockStore other = fixture.open()) {
      Ask.granted(store, Ask.mutex(Ask.name()));
      Claim claim = Ask.mutex(lock);
      proxy.hangAnswers();
      assertThatThrownBy(() -> Ask.of(store.join(claim, true, Deadlines.in(Duration.ofSeconds(2)))))
          .isInstanceOf(StoreException.class);
      assertThat(Ask.of(other.inspect(lock)).isHeld()).isTrue();

      Ask.of(other.leave(List.of(Departure.withTombstone(claim)), Deadlines.far()));
      proxy.heal();
      assertThat(Ask.queue(store, claim)).isInstanceOf(Busy.class);

      assertThat(Ask.of(other.inspect(lock))).isEqualTo(LockInfo.free(lock));
    }
  }

  /** The request lies in the buffer of an agent that hangs, and arrives long after the leave. */
  @Test
  void a_join_that_comes_after_its_tombstone_is_gone_leaves_no_ghost() throws Exception {
    try (TcpProxy slow = TcpProxy.to("127.0.0.1", server.port());
        TcpProxy fast = TcpProxy.to("127.0.0.1", server.port());
        Ticker ticker = Ticker.system("session-it");
        LockStore store =
            open(ticker, "consul://127.0.0.1:" + slow.port() + ",127.0.0.1:" + fast.port())) {
      Claim kept = Ask.mutex(Ask.name());
      Ask.granted(store, kept);
      Claim claim = Ask.mutex(lock);
      slow.hang();
      CompletionStage<?> join = store.join(claim, true, Deadlines.far());
      assertThat(Ask.of(join)).isInstanceOf(Granted.class); // by way of the other agent
      assertThat(Ask.of(store.leave(List.of(Departure.withTombstone(claim)), Deadlines.far())))
          .containsValue(Left.LEFT);
      delete("holdfast/@left/");

      slow.heal(); // now the first request arrives

      assertThat(Ask.refresh(store, kept)).isInstanceOf(Granted.class);
      Awaitility.await()
          .during(Duration.ofSeconds(1))
          .until(() -> Ask.of(store.inspect(lock)).equals(LockInfo.free(lock)));
    }
  }

  /** Withdrawing one join refuses all that are under way on its session. */
  @Test
  void joins_that_are_refused_with_an_unanswered_one_enter_all_the_same() {
    try (LockStore store = fixture.open()) {
      Ask.granted(store, Ask.mutex(Ask.name()));
      List<CompletionStage<JoinAnswer>> joins = new ArrayList<>();
      List<CompletionStage<Map<Claim, Left>>> leaves = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        joins.add(store.join(Ask.mutex(lock + i), false, Deadlines.far()));
        if (i % 10 == 0) {
          leaves.add(
              store.leave(
                  List.of(Departure.withTombstone(Ask.mutex(Ask.name()))), Deadlines.far()));
        }
      }

      joins.forEach(join -> assertThat(Ask.of(join)).isInstanceOf(Granted.class));
      leaves.forEach(leave -> assertThat(Ask.of(leave)).containsValue(Left.GONE));
    }
  }

  @Test
  void closing_the_store_ends_its_sessions_unless_a_claim_is_on_one() throws Exception {
    LockStore tidy = fixture.open();
    Claim claim = Ask.mutex(lock);
    Ask.granted(tidy, claim);
    String session = ConsulFixture.sessionOf(server, lock);
    Ask.leave(tidy, claim);
    tidy.close();
    assertThat(server.get("/v1/session/list")).doesNotContain(session);

    LockStore hasty = fixture.open();
    Ask.granted(hasty, Ask.mutex(lock));
    hasty.close();
    assertThat(server.get("/v1/session/list")).contains(ConsulFixture.sessionOf(server, lock));
  }

  /**
   * The purpose of a handle: the first process still runs, but must not end the claim it gave away.
   */
  @Test
  void a_claim_that_another_process_has_taken_over_is_not_deleted() {
    Duration ttl = Duration.ofSeconds(1);
    try (Ticker ticker = Ticker.system("session-it");
        LockStore first = open(ticker, fixture.url().orElseThrow());
        LockStore second = open(ticker, fixture.url().orElseThrow())) {
      Claim claim = Ask.mutex(lock, ttl);
      Claim kept = Ask.mutex(Ask.name(), ttl);
      long token = Ask.granted(first, claim).token();
      Ask.granted(first, kept);
      long start = System.nanoTime();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                Ask.refresh(first, kept); // looks for forgotten claims, too
                assertThat(Ask.refresh(second, claim)).isEqualTo(new Granted(token));
                return System.nanoTime() - start > Duration.ofSeconds(5).toNanos();
              });
    }
  }

  private static LockStore open(Ticker ticker, String url) {
    return new ConsulProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(2)));
  }

  private void delete(String start) throws IOException {
    server.put("/v1/txn", "[{\"KV\": {\"Verb\": \"delete-tree\", \"Key\": \"" + start + "\"}}]");
  }
}
