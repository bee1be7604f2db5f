package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.consul.LateAgent.Stall;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.NoAnswerException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and answers that arrive at a bad moment, by a clock that the test moves. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class LateRequestsIT {

  private static final Duration TTL = Duration.ofSeconds(60);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final String RENEWAL = "/v1/session/renew/";

  private final ConsulServer server = ConsulFixture.server();
  private final ManualTicker ticker = new ManualTicker();
  private final String lock = Ask.name();
  private LateAgent agent;
  private StubAgent stub;
  private LockStore store;

  @BeforeEach
  void open() {
    agent = new LateAgent(server.port());
    stub = new StubAgent(agent);
    store = new ConsulProvider().open(stub.url(), new StoreSettings(ticker, TIMEOUT));
  }

  @AfterEach
  void close() {
    store.close();
    stub.close();
  }

  @Test
  void a_session_that_was_not_renewed_for_its_ttl_is_not_used_any_more() throws Exception {
    Ask.granted(store, Ask.mutex(lock, TTL));
    String other = Ask.name();

    ticker.advance(TTL);
    Ask.granted(store, Ask.mutex(other, TTL));

    assertThat(ConsulFixture.sessionOf(server, other))
        .isNotEqualTo(ConsulFixture.sessionOf(server, lock));
  }

  /** Consul may be about to end the session, and renew it all the same. */
  @Test
  void a_join_does_not_count_on_a_renewal_that_is_answered_after_the_session_may_have_ended()
      throws Exception {
    Ask.granted(store, Ask.mutex(lock, TTL));
    String other = Ask.name();
    ticker.advance(TTL.minusSeconds(6));
    Stall renewal = agent.stallNext(RENEWAL);
    CompletionStage<JoinAnswer> join = store.join(Ask.mutex(other, TTL), false, Deadlines.far());

    renewal.await();
    ticker.advance(Duration.ofSeconds(7));
    renewal.goOn();

    assertThat(Ask.of(join)).isInstanceOf(Granted.class);
    assertThat(ConsulFixture.sessionOf(server, other))
        .isNotEqualTo(ConsulFixture.sessionOf(server, lock));
  }

  @Test
  void a_holder_whose_session_may_have_ended_moves_to_another_one() throws Exception {
    Claim claim = Ask.mutex(lock, TTL);
    long token = Ask.granted(store, claim).token();
    String session = ConsulFixture.sessionOf(server, lock);
    ticker.advance(TTL.minusSeconds(6));
    Stall renewal = agent.stallNext(RENEWAL);
    CompletionStage<Map<Claim, Standing>> refresh = store.refresh(List.of(claim), Deadlines.far());

    renewal.await();
    ticker.advance(Duration.ofSeconds(7));
    renewal.goOn();

    assertThat(Ask.of(refresh)).containsEntry(claim, new Granted(token));
    assertThat(ConsulFixture.sessionOf(server, lock)).isNotEqualTo(session);
  }

  /** A new leader may not know the session yet. */
  @Test
  void a_session_that_is_not_found_does_not_prove_that_a_claim_is_gone() {
    Claim claim = Ask.mutex(lock, TTL);
    long token = Ask.granted(store, claim).token();

    agent.denyNext(RENEWAL);

    assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
  }

  @Test
  void a_claim_that_the_audit_is_deleting_is_not_renewed() {
    Claim forgotten = Ask.mutex(lock, TTL);
    Stall deletion = deletionOf(forgotten);

    Standing first = Ask.refresh(store, forgotten);
    Standing second = Ask.refresh(store, forgotten);
    deletion.goOn();

    assertThat(List.of(first, second)).containsOnly(Gone.GONE);
    awaitFree();
  }

  @Test
  void a_claim_that_the_audit_has_deleted_meanwhile_is_not_renewed() {
    Claim forgotten = Ask.mutex(lock, TTL);
    Stall deletion = deletionOf(forgotten);
    Stall renewal = agent.stallNext(RENEWAL);
    CompletionStage<Map<Claim, Standing>> refresh =
        store.refresh(List.of(forgotten), Deadlines.far());
    renewal.await(); // its key was read, and was still there
    deletion.goOn();
    awaitFree();
    renewal.goOn();

    assertThat(Ask.of(refresh)).containsEntry(forgotten, Gone.GONE);
  }

  @Test
  void a_read_that_did_not_take_effect_is_not_an_empty_one() throws Exception {
    Claim claim = Ask.mutex(lock, TTL);
    long token = Ask.granted(store, claim).token();

    server.put("/v1/kv/holdfast/@never", "x");
    Standing standing = Ask.refresh(store, claim);
    boolean failed =
        store.inspect(lock).toCompletableFuture().handle((info, failure) -> failure != null).join();
    server.put("/v1/txn", "[{\"KV\": {\"Verb\": \"delete\", \"Key\": \"holdfast/@never\"}}]");

    assertThat(standing).isInstanceOf(Unknown.class);
    assertThat(failed).isTrue();
    assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
  }

  /** The first request deletes the key, but its answer is lost; the second finds nothing. */
  @Test
  void a_release_that_was_sent_twice_does_not_report_that_the_lock_was_not_held() {
    Claim claim = Ask.mutex(lock, TTL);
    Ask.granted(store, claim);

    agent.loseAnswerOfNext("\"Verb\":\"delete\"");
    CompletionStage<Map<Claim, Left>> leave =
        store.leave(List.of(Departure.of(claim)), Deadlines.far());
    restUntilDone(leave);

    assertThat(Ask.of(leave)).containsEntry(claim, Left.UNKNOWN);
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.GONE);
  }

  @Test
  void an_eviction_that_was_sent_twice_does_not_report_that_the_lock_was_not_held() {
    Ask.granted(store, Ask.mutex(lock, TTL));

    agent.loseAnswerOfNext("\"Verb\":\"delete\"");
    CompletionStage<Boolean> evict = store.evict(lock, LockStore.ANY_TOKEN);
    restUntilDone(evict);

    assertThat(Ask.of(evict)).isTrue();
  }

  @Test
  void an_eviction_by_token_that_was_sent_twice_does_not_report_that_there_was_no_holder() {
    long token = Ask.granted(store, Ask.mutex(lock, TTL)).token();

    agent.loseAnswerOfNext("\"Verb\":\"delete\"");
    CompletionStage<Boolean> evict = store.evict(lock, token);
    restUntilDone(evict);

    assertThat(Ask.of(evict)).isTrue();
  }

  /** The later token belonged to the writer, not to the reader that it has become. */
  @Test
  void an_eviction_by_token_does_not_end_a_claim_that_was_downgraded_meanwhile() {
    Claim writer = Ask.writer(lock, TTL);
    long token = Ask.granted(store, writer).token();
    Stall deletion = agent.stallNext("\"Verb\":\"delete\"");
    CompletionStage<Boolean> evict = store.evict(lock, token + 1);
    deletion.await();

    Claim reader = writer.weighing(1);
    assertThat(Ask.refresh(store, reader)).isInstanceOf(Granted.class);
    deletion.goOn();

    assertThat(Ask.of(evict)).isFalse();
    assertThat(Ask.refresh(store, reader)).isInstanceOf(Granted.class);
    assertThat(Ask.of(store.evict(lock, token))).isTrue();
  }

  @Test
  void a_session_that_a_join_with_little_time_could_not_open_is_opened_by_the_next() {
    Stall session = agent.stallNext("/v1/session/create");
    Deadline soon = Deadlines.in(Duration.ofMillis(500));
    CompletionStage<JoinAnswer> hasty = store.join(Ask.mutex(Ask.name(), TTL), false, soon);
    session.await();
    CompletionStage<JoinAnswer> patient = store.join(Ask.mutex(lock, TTL), false, Deadlines.far());

    Awaitility.await().until(soon::isOver);
    ticker.advance(Duration.ofSeconds(1));

    assertThatThrownBy(() -> Ask.of(hasty)).isInstanceOf(NoAnswerException.class);
    assertThat(Ask.of(patient)).isInstanceOf(Granted.class);
    session.goOn();
  }

  @Test
  void a_join_that_is_given_up_before_it_was_sent_leaves_nothing_behind_not_even_a_tombstone() {
    Ask.granted(store, Ask.mutex(lock, TTL));
    List<Stall> underWay = new ArrayList<>();
    for (int i = 0; i < 16; i++) { // as many as are sent at a time
      underWay.add(agent.stallNext("check-not-exists"));
    }
    underWay.forEach(stall -> store.join(Ask.mutex(Ask.name(), TTL), true, Deadlines.far()));
    underWay.forEach(Stall::await);
    Claim late = Ask.mutex(Ask.name(), TTL);
    CompletionStage<JoinAnswer> join = store.join(late, true, Deadlines.far());

    CompletionStage<Map<Claim, Left>> leave =
        store.leave(List.of(Departure.withTombstone(late)), Deadlines.far());
    underWay.forEach(Stall::goOn);

    assertThat(Ask.of(leave)).containsEntry(late, Left.GONE);
    assertThat(join.toCompletableFuture()).isCompletedExceptionally();
    assertThatThrownBy(() -> server.get("/v1/kv/holdfast/@left/" + late.id()))
        .hasMessageContaining("404");
  }

  /** The store pauses between attempts, by the clock that the test moves. */
  private void restUntilDone(CompletionStage<?> answer) {
    Awaitility.await()
        .until(
            () -> {
              ticker.advance(Duration.ofMillis(10));
              return answer.toCompletableFuture().isDone();
            });
  }

  /** Delays the audit's deletion of a claim that was granted and is not renewed. */
  private Stall deletionOf(Claim forgotten) {
    Claim kept = Ask.mutex(Ask.name(), TTL);
    Ask.granted(store, forgotten);
    Ask.granted(store, kept);
    ticker.advance(TTL.dividedBy(2));
    Ask.refresh(store, kept);
    ticker.advance(TTL.dividedBy(2));
    Ask.refresh(store, kept);
    ticker.advance(TTL.dividedBy(2));
    Stall deletion = agent.stallNext("\"delete\"");
    Ask.refresh(store, kept); // looks for forgotten claims, too
    return deletion.await();
  }

  private void awaitFree() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> !Ask.of(store.inspect(lock)).isHeld());
  }
}
