package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The server's count of requests: locks cost as many as the docs promise. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class RoundTripsIT {

  private static final int MANY = 10_000;
  private static final int AT_ONCE = 500;
  private static final int TURNS = 30;
  private static final int MEETINGS = 50;
  private static final int MOST_MEETINGS = 500;

  /** The cheapest hand-off may include this number: a hundred clients send one in ten seconds. */
  private static final long PINGS = 3;

  private static final Duration LONG = Duration.ofMinutes(3);

  private ZooKeeperServer server;
  private final ZooKeeperScene scene = new ZooKeeperScene();

  @BeforeEach
  void start() {
    server = ZooKeeperServer.start("maxSessionTimeout=240000");
  }

  @AfterEach
  void stop() {
    scene.close();
    server.close();
  }

  @Test
  void a_free_lock_costs_a_request_to_take_and_one_to_release() throws Exception {
    LockStore store = scene.openAs(server.url() + "?session-timeout=240s");
    String lock = ZooKeeperScene.name();
    takeAndRelease(store, lock); // makes the folders

    long asking = leastRequests(() -> {});

    assertThat(leastRequests(() -> takeAndRelease(store, lock)) - asking).isEqualTo(2);
  }

  /** Its watch would have reported another claim before the answer. */
  @Test
  void a_keepable_claim_costs_a_request_to_renew_like_any_other() throws Exception {
    LockStore store = scene.openAs(server.url() + "?session-timeout=240s");
    String lock = ZooKeeperScene.name();
    store.observe(lock, () -> {});
    Claim kept = mutex(lock).keepable(true);
    ZooKeeperScene.granted(store, kept);
    standing(store, kept); // comes after the read that watches the queue

    long asking = leastRequests(() -> {});

    assertThat(leastRequests(() -> standing(store, kept)) - asking).isEqualTo(1);
  }

  /** The leave, the check of the next claim, the new claim, and a read that also watches. */
  @Test
  void a_lock_that_goes_back_and_forth_between_two_clients_costs_four_requests_each_time()
      throws Exception {
    String lock = ZooKeeperScene.name();
    List<Member> clients = open(2);
    clients.forEach(client -> client.store.observe(lock, client.hints::incrementAndGet));
    for (Member client : clients) {
      client.claim = mutex(lock);
      answer(client.store.join(client.claim, true, Deadlines.far()));
    }

    long asking = leastRequests(() -> {});
    AtomicInteger turn = new AtomicInteger();

    assertThat(leastRequests(() -> handOver(lock, clients, turn.getAndIncrement())) - asking)
        .isEqualTo(4);
  }

  /** Otherwise its client would refresh it, which takes two requests. */
  @Test
  void a_claim_granted_while_it_joined_gets_no_hint_when_the_next_claim_joins() throws Exception {
    List<Member> clients = open(2);
    Member first = clients.get(0);
    Member second = clients.get(1);
    int granted = 0;
    for (int i = 0; i < MOST_MEETINGS && granted < MEETINGS; i++) {
      String lock = ZooKeeperScene.name();
      AtomicInteger hints = new AtomicInteger();
      Claim held = mutex(lock);
      Claim joining = mutex(lock);
      Claim next = mutex(lock);
      ZooKeeperScene.granted(first.store, held);
      second.store.observe(lock, hints::incrementAndGet);

      CompletionStage<JoinAnswer> joined = second.store.join(joining, true, Deadlines.far());
      leave(first.store, held); // before the read that follows the claim's node, or after it
      if (answer(joined) instanceof Granted) {
        granted++;
        assertThat(answer(first.store.join(next, true, Deadlines.far()))).isEqualTo(new Queued(1));
        answer(second.store.inspect(lock)); // is answered after all hints
        assertThat(hints).hasValue(0);
      }
    }
    assertThat(granted).isPositive();
  }

  private static void handOver(String lock, List<Member> clients, int turn) throws Exception {
    Member holder = clients.get(turn % 2);
    Member next = clients.get((turn + 1) % 2);
    next.hints.set(0);
    leave(holder.store, holder.claim);
    eventually().until(() -> next.hints.get() > 0);
    assertThat(standing(next.store, next.claim)).isInstanceOf(Granted.class);
    holder.claim = mutex(lock);
    assertThat(answer(holder.store.join(holder.claim, true, Deadlines.far())))
        .isEqualTo(new Queued(1));
  }

  private static void takeAndRelease(LockStore store, String lock) throws Exception {
    Claim claim = mutex(lock);
    ZooKeeperScene.granted(store, claim);
    leave(store, claim);
  }

  /** The least of several: pings disturb some, and a slow machine makes a hold long. */
  private long leastRequests(ThrowingRunnable step) throws Exception {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < TURNS; i++) {
      long before = requests();
      step.run();
      least = Math.min(least, requests() - before);
    }
    return least;
  }

  @FunctionalInterface
  private interface ThrowingRunnable {
    void run() throws Exception;
  }

  @Test
  void a_hand_off_costs_the_same_however_many_wait() throws Exception {
    long one = requestsForHandOff(1);

    // Any of the three may have had pings.
    assertThat(requestsForHandOff(10)).as("with ten waiters").isCloseTo(one, within(PINGS));
    assertThat(requestsForHandOff(100)).as("with a hundred").isCloseTo(one, within(PINGS));
  }

  @Test
  void one_session_holds_ten_thousand_locks_and_renews_them_with_a_few_requests() throws Exception {
    LockStore store = scene.openAs(server.url() + "?session-timeout=240s");
    List<Claim> claims = new ArrayList<>();
    while (claims.size() < MANY) {
      List<CompletableFuture<JoinAnswer>> joins = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        Claim claim = ZooKeeperScene.lasting(mutex(ZooKeeperScene.name()), LONG);
        claims.add(claim);
        joins.add(store.join(claim, false, Deadlines.far()).toCompletableFuture());
      }
      for (CompletableFuture<JoinAnswer> join : joins) {
        assertThat(answer(join)).isInstanceOf(Granted.class);
      }
    }
    answer(store.refresh(claims, Deadlines.far())); // sets the watches that are not there yet
    answer(
        store.refresh(claims, Deadlines.far())); // comes after those that were requested meanwhile
    long before = requests();

    assertThat(answer(store.refresh(claims, Deadlines.far())).values())
        .hasSize(MANY)
        .allMatch(Granted.class::isInstance);

    assertThat(requests() - before).isLessThan(20); // an audit may fall into it, and pings
    answer(store.leave(claims.stream().map(Departure::of).toList(), Deadlines.far()));
    assertThat(answer(store.list("", 10))).isEmpty();
  }

  /**
   * One client for each waiter. After each turn another claim joins, so the number of waiters stays
   * the same. The cheapest turn counts: pings, one in ten seconds per client, disturb the others.
   */
  private long requestsForHandOff(int waiting) throws Exception {
    String lock = ZooKeeperScene.name();
    List<Member> clients = new ArrayList<>(open(waiting + TURNS));
    List<Member> queue = clients.subList(0, waiting + 1);
    queue.parallelStream().forEach(client -> client.joins(lock));
    queue.sort(Comparator.comparingInt(client -> client.position));
    long least = Long.MAX_VALUE;
    for (int i = 0; i < TURNS - 1; i++) {
      Member next = clients.get(i + 1);
      clients.subList(i, waiting + 1 + i).parallelStream().forEach(Member::lives);
      long before = requests();
      leave(clients.get(i).store, clients.get(i).claim);
      eventually().until(() -> next.hints.get() > 0);
      assertThat(standing(next.store, next.claim)).isInstanceOf(Granted.class);
      assertThat(standing(next.store, next.claim)).isInstanceOf(Granted.class);
      least = Math.min(least, requests() - before);
      clients.get(waiting + 1 + i).joins(lock);
    }
    assertThat(clients.stream().skip(TURNS).mapToInt(client -> client.hints.get()).sum())
        .as("hints to claims whose turn has not come")
        .isZero();
    clients.forEach(client -> client.store.close());
    return least;
  }

  private List<Member> open(int count) {
    return IntStream.range(0, count).parallel().mapToObj(i -> new Member()).toList();
  }

  private final class Member {
    private final AtomicInteger hints = new AtomicInteger();
    private final LockStore store = scene.openAs(server.url() + "?session-timeout=240s");
    private Claim claim = mutex("none");
    private int position;

    void joins(String lock) {
      claim = mutex(lock);
      store.observe(lock, hints::incrementAndGet);
      JoinAnswer answer = store.join(claim, true, Deadlines.far()).toCompletableFuture().join();
      position = answer instanceof Queued queued ? queued.position() : 0;
      lives(); // the answer comes after that of the watch
    }

    /** On a slow machine a turn comes late. */
    void lives() {
      store.refresh(List.of(claim), Deadlines.far()).toCompletableFuture().join();
    }
  }

  private long requests() throws Exception {
    String report = ZooKeeperScene.ask(server.connectString(), "srvr");
    return Long.parseLong(report.replaceAll("(?s).*Received: (\\d+).*", "$1"));
  }
}
