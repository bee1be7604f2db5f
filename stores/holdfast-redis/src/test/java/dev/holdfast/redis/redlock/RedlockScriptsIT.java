package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.script.Script;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the order of tokens rests on, asked of one node. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedlockScriptsIT {

  private static final String RECORD = "holdfast:redlock:node";
  private static final String LOCK = "holdfast:redlock:{lock}";
  private static final String VALUE = "0".repeat(16); // no value, with the number of its order

  private static RedisServer node;

  @BeforeAll
  static void start() {
    node = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @BeforeEach
  void setUp() {
    node.command("FLUSHALL");
    RedlockServers.setUp(node, 7, Duration.ofSeconds(60));
  }

  @Test
  void the_second_phase_raises_the_counter_for_the_holder() {
    assertThat(join("a", "1")).isEqualTo(List.of("ours", "7", "0"));
    assertThat(advance("a", "1", 9)).isEqualTo("ours");
    assertThat(counter()).isEqualTo("9");
    assertThat(advance("a", "1", 8)).isEqualTo("ours");
    assertThat(counter()).as("it never falls").isEqualTo("9");
  }

  @Test
  void the_second_phase_is_refused_to_anybody_else() {
    join("a", "1");

    assertThat(advance("b", "1", 9)).isEqualTo("gone");
    node.command("DEL", LOCK);
    assertThat(advance("a", "1", 9)).isEqualTo("gone");
    assertThat(counter()).isEqualTo("7");
  }

  /** It was lost in between, and the counter that the first one told may be too small. */
  @Test
  void a_first_phase_that_comes_late_does_not_confirm_the_token_of_an_earlier_one() {
    join("a", "1");
    node.command("DEL", LOCK);
    join("b", "2");
    advance("b", "2", 8);
    node.command("DEL", LOCK);
    join("a", "3");

    assertThat(advance("a", "1", 8)).isEqualTo("gone");
    assertThat(advance("a", "3", 9)).isEqualTo("ours");
  }

  @Test
  void a_node_that_has_forgotten_all_confirms_nothing() {
    join("a", "1");
    node.command("DEL", RECORD);

    assertThat(advance("a", "1", 9)).isEqualTo("resting");
    assertThat(join("b", "2").get(0)).isEqualTo("resting");
    assertThat(run("install", 1, RECORD, "another life", "9", "60000").get(0)).isEqualTo("gone");
    assertThat(counter()).isNull();
  }

  @Test
  void a_server_without_memory_renews_and_frees_what_is_held() {
    join("a", "1");
    node.command("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThat(run("refresh", 2, RECORD, LOCK, "a", "", "60000", VALUE, "4711").get(0))
          .isEqualTo("ours");
      assertThat(run("leave", 2, RECORD, LOCK, "a", "", "0", "0").get(0)).isEqualTo("left");
    } finally {
      node.command("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  void a_floor_that_a_holder_brings_raises_the_counter_and_never_lowers_it() {
    join("a", "1");
    long counter = Long.parseLong(String.valueOf(counter()));
    for (long floor : new long[] {counter + 10, counter + 5, 0}) {
      String text = Long.toString(floor);
      run("refresh", 2, RECORD, LOCK, "a", "", "60000", VALUE, text);
      run("refresh", 2, RECORD, LOCK, "b", "", "60000", VALUE, "900719925474099");
      assertThat(counter()).isEqualTo(Long.toString(counter + 10));
    }
  }

  private static List<?> join(String claim, String round) {
    return run("join", 2, RECORD, LOCK, claim, round, "MUTEX", "h;1;t;c;", VALUE, "60000", "0");
  }

  private static Object advance(String claim, String round, long token) {
    return run("advance", 2, RECORD, LOCK, claim, round, Long.toString(token), "1").get(0);
  }

  private static Object counter() {
    return node.command("HGET", RECORD, "c");
  }

  private static List<?> run(String verb, int keys, String... words) {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            "EVAL",
            Script.in("redlock", verb, true, "node", "record", verb).text(),
            Integer.toString(keys)));
    command.addAll(List.of(words));
    List<?> replies = (List<?>) node.command(command.toArray(String[]::new));
    return (List<?>) replies.get(0);
  }
}
