package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is made of answers that differ from node to node. Null stands for a node that is silent. */
class RedlockQuorumTest {

  private static final Duration TIMEOUT = Duration.ofMillis(200);

  private final ManualTicker ticker = new ManualTicker();
  private final Claim claim = Ask.mutex("lock");

  @Test
  void a_claim_that_has_gone_away_is_not_let_in_by_the_nodes_that_do_not_know() {
    Reply ours = reply("ours", "7", "0");
    Reply buried = reply("buried");
    RedlockLockStore store =
        store(Map.of(RedlockScripts.JOIN, nodes(ours, ours, ours, buried, buried)));

    assertThat(Ask.join(store, claim)).isEqualTo(new Busy(null));
  }

  /** What an attempt that failed has left on most nodes is not the token that was reported. */
  @Test
  void the_greatest_token_of_a_claim_is_its_own() {
    Reply newer = reply("ours", "9", "9");
    Reply older = reply("ours", "9", "4");
    RedlockLockStore store =
        store(Map.of(RedlockScripts.REFRESH, nodes(newer, older, older, null, null)));

    assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(9));
  }

  @Test
  void a_join_that_nobody_decides_ends_within_the_operation_timeout() {
    Reply ours = reply("ours", "7", "0");
    Reply busy = reply("busy", "someone", claim.owner().encode(), "MUTEX");
    RedlockLockStore store =
        store(Map.of(RedlockScripts.JOIN, nodes(ours, ours, busy, null, null)));

    CompletableFuture<JoinAnswer> answer = store.join(claim, false).toCompletableFuture();
    ticker.advance(TIMEOUT.multipliedBy(4));

    assertThat(answer).isCompletedWithValueMatching(Busy.class::isInstance);
  }

  @Test
  void a_counter_below_the_callers_floor_is_left_behind() {
    Reply ours = reply("ours", "7", "0");
    RedlockLockStore store =
        store(
            Map.of(
                RedlockScripts.JOIN, nodes(ours, ours, ours, null, null),
                RedlockScripts.ADVANCE, nodes(ours, ours, ours, null, null)));

    CompletableFuture<JoinAnswer> answer =
        store.join(claim.asking(0, 41), false).toCompletableFuture();
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
                RedlockScripts.JOIN, nodes(ours, ours, ours, ours, ours),
                RedlockScripts.ADVANCE, nodes(ours, ours, gone, gone, gone)));

    CompletableFuture<JoinAnswer> answer = store.join(claim, false).toCompletableFuture();
    ticker.advance(TIMEOUT.multipliedBy(4));

    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void a_join_asks_again_while_too_few_are_in_time() {
    Reply ours = reply("ours", "7", "0");
    Map<Script, List<Reply>> answers = new HashMap<>();
    answers.put(RedlockScripts.JOIN, nodes(ours, ours, null, null, null));
    answers.put(RedlockScripts.ADVANCE, nodes(ours, ours, ours, ours, ours));
    CompletableFuture<JoinAnswer> answer = store(answers).join(claim, false).toCompletableFuture();

    answers.put(RedlockScripts.JOIN, nodes(ours, ours, ours, ours, ours));
    ticker.advance(TIMEOUT.multipliedBy(2));

    assertThat(answer).isCompletedWithValue(new Granted(8));
  }

  @Test
  void a_join_that_too_few_answer_fails_within_the_operation_timeout() {
    Reply ours = reply("ours", "7", "0");
    RedlockLockStore store =
        store(Map.of(RedlockScripts.JOIN, nodes(ours, ours, null, null, null)));

    CompletableFuture<JoinAnswer> answer = store.join(claim, false).toCompletableFuture();
    ticker.advance(TIMEOUT.multipliedBy(4));

    assertThat(answer).isCompletedExceptionally();
  }

  /** A renewal needs a quorum only, and so does a look: they share one node at least. */
  @Test
  void the_latest_value_is_shown_though_most_nodes_have_missed_it() {
    RedlockLockStore store =
        store(
            Map.of(
                RedlockScripts.INSPECT,
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
        "%016d".formatted(order) + value);
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
                Script script, String what, String lock, List<String> keys, List<String> args) {
              List<Reply> all = answers.getOrDefault(script, nodes(null, null, null, null, null));
              Reply reply = all.get(node);
              return reply == null
                  ? new CompletableFuture<>()
                  : CompletableFuture.completedFuture(List.of(reply));
            }

            @Override
            public void close() {}
          });
    }
    return new RedlockLockStore(
        new RedlockNodes(
            "model", new Keys("m:"), runners, ticker, TIMEOUT, Duration.ofMinutes(1), () -> 0));
  }
}
