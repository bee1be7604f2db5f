package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is made of answers that differ from node to node. Null stands for a node that is silent. */
class RedlockQuorumTest {

  private static final Duration TIMEOUT = Duration.ofMillis(800);

  private final ManualTicker ticker = new ManualTicker();
  private final Claim claim = Ask.mutex("lock");

  @Test
  void a_claim_that_has_left_is_not_granted_by_nodes_without_its_tombstone() {
    Reply ours = reply("ours", "7", "0");
    Reply tombstone = reply("tombstone");
    RedlockLockStore store =
        store(Map.of(NodeScripts.JOIN, nodes(ours, ours, ours, tombstone, tombstone)));

    assertThat(Ask.join(store, claim)).isEqualTo(new Busy(null));
  }

  /** What an attempt that failed has left on most nodes is not the token that was reported. */
  @Test
  void the_greatest_token_of_a_claim_is_its_own() {
    Reply newer = reply("ours", "9", "9");
    Reply older = reply("ours", "9", "4");
    RedlockLockStore store =
        store(Map.of(NodeScripts.REFRESH, nodes(newer, older, older, null, null)));

    assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(9));
  }

  @Test
  void an_undecided_join_ends_at_its_deadline() {
    Reply ours = reply("ours", "7", "0");
    Reply busy = reply("busy", "someone", claim.owner().encode(), "MUTEX");
    RedlockLockStore store = store(Map.of(NodeScripts.JOIN, nodes(ours, ours, busy, null, null)));

    CompletableFuture<JoinAnswer> answer =
        store.join(claim, false, deadline()).toCompletableFuture();
    ticker.advance(TIMEOUT);

    assertThat(answer).isCompletedWithValueMatching(Busy.class::isInstance);
  }

  @Test
  void a_counter_below_the_callers_floor_is_left_behind() {
    Reply ours = reply("ours", "7", "0");
    RedlockLockStore store =
        store(
            Map.of(
                NodeScripts.JOIN, nodes(ours, ours, ours, null, null),
                NodeScripts.ADVANCE, nodes(ours, ours, ours, null, null)));

    CompletableFuture<JoinAnswer> answer =
        store.join(claim.asking(0, 41), false, deadline()).toCompletableFuture();
    ticker.advance(TIMEOUT);

    assertThat(answer).isCompletedWithValue(new Granted(42));
  }

  @Test
  void two_confirmations_of_five_are_no_grant() {
    Reply ours = reply("ours", "7", "0");
    Reply gone = reply("gone");
    RedlockLockStore store =
        store(
            Map.of(
                NodeScripts.JOIN, nodes(ours, ours, ours, ours, ours),
                NodeScripts.ADVANCE, nodes(ours, ours, gone, gone, gone)));

    CompletableFuture<JoinAnswer> answer =
        store.join(claim, false, deadline()).toCompletableFuture();
    ticker.advance(TIMEOUT);

    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void a_join_asks_again_while_too_few_are_in_time() {
    Reply ours = reply("ours", "7", "0");
    Map<Script, List<Reply>> answers = new HashMap<>();
    answers.put(NodeScripts.JOIN, nodes(ours, ours, null, null, null));
    answers.put(NodeScripts.ADVANCE, nodes(ours, ours, ours, ours, ours));
    CompletableFuture<JoinAnswer> answer =
        store(answers).join(claim, false, deadline()).toCompletableFuture();

    answers.put(NodeScripts.JOIN, nodes(ours, ours, ours, ours, ours));
    ticker.advance(TIMEOUT.dividedBy(2));

    assertThat(answer).isCompletedWithValue(new Granted(8));
  }

  @Test
  void a_join_that_too_few_answer_fails_at_its_deadline_and_no_earlier() {
    Reply ours = reply("ours", "7", "0");
    RedlockLockStore store = store(Map.of(NodeScripts.JOIN, nodes(ours, ours, null, null, null)));

    CompletableFuture<JoinAnswer> answer =
        store.join(claim, false, deadline()).toCompletableFuture();
    ticker.advance(TIMEOUT.minusMillis(1));
    assertThat(answer).isNotDone();
    ticker.advance(Duration.ofMillis(1));

    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void a_renewal_and_a_release_that_too_few_answer_are_unknown_at_their_deadline() {
    Reply ours = reply("ours", "7", "7");
    Reply left = reply("left");
    RedlockLockStore store =
        store(
            Map.of(
                NodeScripts.REFRESH, nodes(ours, ours, null, null, null),
                NodeScripts.LEAVE, nodes(left, left, null, null, null)));

    CompletableFuture<Map<Claim, Standing>> renewal =
        store.refresh(List.of(claim), deadline()).toCompletableFuture();
    CompletableFuture<Map<Claim, Left>> release =
        store.leave(List.of(Departure.of(claim)), deadline()).toCompletableFuture();
    ticker.advance(TIMEOUT.minusMillis(1));
    assertThat(renewal).isNotDone();
    assertThat(release).isNotDone();
    ticker.advance(Duration.ofMillis(1));

    assertThat(renewal.join().get(claim)).isInstanceOf(Unknown.class);
    assertThat(release.join()).containsEntry(claim, Left.UNKNOWN);
  }

  @Test
  void an_eviction_by_token_counts_only_where_a_quorum_had_the_token() {
    Reply left = reply("left");
    Reply gone = reply("gone");

    assertThat(Ask.of(evicting(left, left, left, null, null).evict("lock", 7))).isTrue();
    assertThat(Ask.of(evicting(left, left, gone, gone, gone).evict("lock", 7))).isFalse();
    CompletableFuture<Boolean> undecided =
        evicting(left, left, gone, gone, null).evict("lock", 7).toCompletableFuture();
    ticker.advance(TIMEOUT);
    assertThat(undecided).isCompletedExceptionally();
  }

  private RedlockLockStore evicting(Reply... replies) {
    return store(Map.of(NodeScripts.EVICT, nodes(replies)));
  }

  /** A renewal needs a quorum only, and so does a look: they share one node at least. */
  @Test
  void the_latest_value_is_shown_though_most_nodes_have_missed_it() {
    RedlockLockStore store =
        store(
            Map.of(
                NodeScripts.INSPECT,
                nodes(held(7, " first"), held(7, " first"), held(8, " second"), null, null)));

    assertThat(Ask.of(store.inspect("lock")).holders().get(0).value()).isEqualTo("second");
  }

  private Reply held(int order, String value) {
    return reply(
        "held",
        "who",
        "MUTEX",
        claim.owner().encode(),
        "9",
        "1000",
        "1000",
        "%016d".formatted(order) + value,
        "9");
  }

  private Deadline deadline() {
    return Deadline.in(TIMEOUT, ticker);
  }

  private static List<Reply> nodes(Reply... replies) {
    List<Reply> nodes = new ArrayList<>();
    for (Reply reply : replies) {
      nodes.add(reply);
    }
    return nodes;
  }

  private static Reply reply(String... parts) {
    return new Reply(List.of(parts));
  }

  private RedlockLockStore store(Map<Script, List<Reply>> answers) {
    List<ScriptRunner> runners = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int node = i;
      runners.add(
          new ScriptRunner() {
            @Override
            public CompletableFuture<List<Reply>> run(
                Script script,
                String lock,
                List<String> keys,
                List<String> args,
                Deadline deadline) {
              List<Reply> all = answers.getOrDefault(script, nodes(null, null, null, null, null));
              Reply reply = all.get(node);
              return reply == null
                  ? new CompletableFuture<>()
                  : CompletableFuture.completedFuture(List.of(reply));
            }

            @Override
            public CompletableFuture<Void> close() {
              return CompletableFuture.completedFuture(null);
            }
          });
    }
    return new RedlockLockStore(
        new Quorum(
            "model", new Keys("m:"), runners, ticker, TIMEOUT, Duration.ofMinutes(1), () -> 0));
  }
}
