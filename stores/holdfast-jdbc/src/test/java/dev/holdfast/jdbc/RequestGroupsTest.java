package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.connection.RequestGroups;
import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.GroupPath.Request;
import dev.holdfast.jdbc.sql.GroupPath.Verb;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which requests go together, and what becomes of those that a group did not serve. */
class RequestGroupsTest {

  private static final long TOKEN = 7;
  private static final long ALONE = 1;

  @TempDir Path directory;

  /** Each group and each request that was asked alone, in order. */
  private final List<String> asked = new CopyOnWriteArrayList<>();

  private final Set<String> notServed = new HashSet<>();
  private final CountDownLatch busy = new CountDownLatch(1);
  private final CountDownLatch hung = new CountDownLatch(1);
  private final ManualTicker ticker = new ManualTicker();
  private SqlExecutor executor;
  private RequestGroups groups;
  private volatile boolean broken;
  private volatile boolean groupsHang;

  @BeforeEach
  void open() {
    executor = executor(1);
    groups = new RequestGroups(executor, ticker, new Group());
    executor.submit(
        "test",
        "",
        connection -> {
          awaitFree();
          return true;
        });
  }

  private SqlExecutor executor(int threads) {
    Dialect dialect = new SqliteDialect();
    String url = "sqlite:" + directory.resolve("locks.db");
    return new SqlExecutor(
        url,
        dialect,
        SqliteConnections.pool(SqliteFile.of(url), dialect),
        threads,
        Duration.ofSeconds(20));
  }

  @AfterEach
  void close() {
    busy.countDown();
    hung.countDown();
    executor.close();
  }

  @Test
  void a_single_request_goes_alone() {
    CompletableFuture<Long> one = submit("a", Verb.TAKE);

    busy.countDown();

    assertThat(Ask.of(one)).isEqualTo(ALONE);
    assertThat(asked).containsExactly("TAKE a");
  }

  @Test
  void those_that_are_ready_when_the_connection_is_free_go_together() {
    CompletableFuture<Long> taken = submit("b", Verb.TAKE);
    CompletableFuture<Long> renewed = submit("a", Verb.RENEW);
    CompletableFuture<Long> released = submit("c", Verb.RELEASE);

    busy.countDown();

    assertThat(List.of(Ask.of(taken), Ask.of(renewed), Ask.of(released))).containsOnly(TOKEN);
    assertThat(asked).containsExactly("[TAKE b, RENEW a, RELEASE c]");
  }

  @Test
  void the_requests_of_one_lock_follow_each_other() {
    List<CompletableFuture<Long>> all =
        List.of(
            submit("a", Verb.TAKE),
            submit("b", Verb.TAKE),
            submit("a", Verb.RENEW),
            submit("c", Verb.TAKE),
            submit("a", Verb.RELEASE),
            submit("b", Verb.RELEASE));

    busy.countDown();
    all.forEach(Ask::of);

    assertThat(asked)
        .containsExactly("[TAKE a, TAKE b, TAKE c]", "[RENEW a, RELEASE b]", "RELEASE a");
  }

  @Test
  void what_a_group_does_not_serve_goes_alone_and_before_what_follows_it() {
    notServed.add("b");
    List<CompletableFuture<Long>> all =
        List.of(
            submit("a", Verb.TAKE),
            submit("b", Verb.TAKE),
            submit("c", Verb.TAKE),
            submit("b", Verb.RELEASE));

    busy.countDown();

    assertThat(all.stream().map(Ask::of)).containsExactly(TOKEN, ALONE, TOKEN, ALONE);
    assertThat(asked).containsExactly("[TAKE a, TAKE b, TAKE c]", "TAKE b", "RELEASE b");
  }

  @Test
  void what_no_group_can_serve_goes_alone() {
    CompletableFuture<Long> first = submit("a", null);
    CompletableFuture<Long> second = submit("b", Verb.TAKE);
    CompletableFuture<Long> third = submit("c", Verb.TAKE);

    busy.countDown();

    assertThat(List.of(Ask.of(first), Ask.of(second), Ask.of(third)))
        .containsExactly(ALONE, TOKEN, TOKEN);
    assertThat(asked).containsExactly("[TAKE b, TAKE c]", "null a");
  }

  @Test
  void after_a_group_that_failed_releases_are_unknown_and_the_others_are_asked_again() {
    broken = true;
    CompletableFuture<Long> taken = submit("a", Verb.TAKE);
    CompletableFuture<Long> renewed = submit("b", Verb.RENEW);
    CompletableFuture<Long> released = submit("c", Verb.RELEASE);

    busy.countDown();

    assertThat(List.of(Ask.of(taken), Ask.of(renewed))).containsOnly(ALONE);
    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> Ask.of(released));
    assertThat(asked).containsExactly("TAKE a", "RENEW b");
  }

  @Test
  void many_go_in_more_than_one_group() {
    List<CompletableFuture<Long>> all =
        IntStream.range(0, 100).mapToObj(i -> submit("lock " + i, Verb.TAKE)).toList();

    busy.countDown();

    assertThat(all.stream().map(Ask::of)).containsOnly(TOKEN);
    assertThat(asked).hasSize(2);
  }

  @Test
  void a_closed_store_refuses_requests() {
    busy.countDown();
    executor.close();

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(submit("a", Verb.TAKE)))
        .withMessageEndingWith("is closed");
  }

  @Test
  void what_was_submitted_before_the_store_closes_is_answered() {
    notServed.add("a");
    List<CompletableFuture<Long>> all =
        List.of(submit("a", Verb.TAKE), submit("b", Verb.TAKE), submit("a", Verb.RELEASE));
    Thread closing = new Thread(executor::close);
    closing.start();

    busy.countDown();

    assertThat(all.stream().map(Ask::of)).containsExactly(ALONE, TOKEN, ALONE);
  }

  @Test
  void a_request_that_hangs_holds_back_the_next_one_of_its_lock_for_a_second() {
    try (SqlExecutor two = executor(2)) {
      groups = new RequestGroups(two, ticker, new Group());
      CompletableFuture<Long> first = submit("a", null, this::hang);
      assertThat(Ask.of(submit("b", Verb.TAKE))).isEqualTo(ALONE); // the other connection works
      CompletableFuture<Long> second = submit("a", Verb.RENEW);
      assertThat(Ask.of(submit("b", Verb.RENEW))).isEqualTo(ALONE);
      assertThat(second).isNotDone();

      ticker.advance(Duration.ofSeconds(1));

      assertThat(Ask.of(second)).isEqualTo(ALONE);
      assertThat(first).isNotDone();
      hung.countDown();
      assertThat(Ask.of(first)).isEqualTo(ALONE);
    }
  }

  @Test
  void a_group_that_hangs_keeps_no_other_lock_waiting() {
    groupsHang = true;
    try (SqlExecutor two = executor(2)) {
      groups = new RequestGroups(two, ticker, new Group());
      CountDownLatch both = new CountDownLatch(2);
      Runnable occupied =
          () -> {
            both.countDown();
            awaitFree();
          };
      CompletableFuture<Long> begun = submit("begun", null, occupied);
      CompletableFuture<Long> too = submit("too", null, occupied);
      await(both);
      List<CompletableFuture<Long>> group =
          IntStream.range(0, 64).mapToObj(i -> submit("lock " + i, Verb.TAKE)).toList();
      List<CompletableFuture<Long>> next =
          IntStream.range(0, 64).mapToObj(i -> submit("lock " + i, Verb.RELEASE)).toList();
      busy.countDown();
      Ask.of(begun);
      Ask.of(too);

      assertThat(Ask.of(submit("z", null))).isEqualTo(ALONE);

      assertThat(group).noneMatch(CompletableFuture::isDone);
      assertThat(next).noneMatch(CompletableFuture::isDone);
      hung.countDown();
      group.forEach(Ask::of);
      next.forEach(Ask::of);
    }
  }

  @Test
  void the_next_request_of_a_lock_may_be_waited_for_where_the_last_one_is_answered() {
    CompletableFuture<Long> first = submit("a", Verb.TAKE);
    CompletableFuture<Long> other = submit("b", Verb.TAKE);
    try (SqlExecutor two = executor(2)) {
      groups = new RequestGroups(two, ticker, new Group());
      CompletableFuture<Long> nested =
          submit("c", Verb.TAKE).thenApply(token -> Ask.of(submit("c", Verb.RELEASE)));

      assertThat(Ask.of(nested)).isEqualTo(ALONE);
    }
    busy.countDown();
    assertThat(List.of(Ask.of(first), Ask.of(other))).containsOnly(TOKEN);
  }

  private CompletableFuture<Long> submit(String lock, Verb verb) {
    return submit(lock, verb, () -> {});
  }

  private CompletableFuture<Long> submit(String lock, Verb verb, Runnable before) {
    Claim claim = Ask.mutex(lock);
    return groups.submit(
        "renewal",
        Deadlines.far(),
        claim,
        verb == null ? null : new Request(verb, claim),
        token -> token,
        connection -> {
          before.run();
          asked.add(verb + " " + lock);
          return ALONE;
        });
  }

  private void awaitFree() {
    await(busy);
  }

  private void hang() {
    await(hung);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Serves all locks but some. */
  private final class Group implements GroupPath {

    @Override
    public Map<Claim, Long> run(StoreConnection connection, List<Request> requests)
        throws SQLException {
      if (broken) {
        throw new SQLException("the connection broke");
      }
      if (groupsHang) {
        hang();
      }
      asked.add(
          requests.stream().map(one -> one.verb() + " " + one.claim().lock()).toList().toString());
      Map<Claim, Long> done = new HashMap<>();
      requests.forEach(one -> done.put(one.claim(), TOKEN));
      done.keySet().removeIf(claim -> notServed.contains(claim.lock()));
      return done;
    }
  }
}
