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
import java.io.IOException;
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

/** What the server counts: locks cost as many requests as is promised. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class RoundTripsIT {

  private static final int MANY = 10_000;
  private static final int AT_ONCE = 500;
  private static final int TURNS = 30;
  private static final int MEETINGS = 50;
  private static final int MOST_MEETINGS = 500;

  /** So many may fall into the cheapest hand-off: a hundred clients send one in ten seconds. */
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

  /** Leave, the next one's question, the new claim, and a look that also watches. */
  @Test
  void a_lock_that_goes_back_and_forth_between_two_clients_costs_four_requests_each_time()
      throws Exception {
    String lock = ZooKeeperScene.name();
    List<Client> clients = open(2);
    clients.forEach(client -> client.store.observe(lock, client.hints::incrementAndGet));
    for (Client client : clients) {
      client.claim = mutex(lock);
      answer(client.store.join(client.claim, true, Deadlines.far()));
    }

    long asking = leastRequests(() -> {});
    AtomicInteger turn = new AtomicInteger();

    assertThat(leastRequests(() -> handOver(lock, clients, turn.getAndIncrement())) - asking)
        .isEqualTo(4);
  }

  /** Otherwise its client would ask how it stands, which is two requests. */
  @Test
  void who_was_let_in_while_it_joined_is_not_told_when_the_next_one_comes() throws Exception {
    List<Client> clients = open(2);
    Client first = clients.get(0);
    Client second = clients.get(1);
    int letIn = 0;
    for (int i = 0; i < MOST_MEETINGS && letIn < MEETINGS; i++) {
      String lock = ZooKeeperScene.name();
      AtomicInteger hints = new AtomicInteger();
      Claim held = mutex(lock);
      Claim joining = mutex(lock);
      Claim next = mutex(lock);
      ZooKeeperScene.granted(first.store, held);
      second.store.observe(lock, hints::incrementAndGet);

      CompletionStage<JoinAnswer> joined = second.store.join(joining, true, Deadlines.far());
      leave(first.store, held); // before the look that follows the claim's node, or after it
      if (answer(joined) instanceof Granted) {
        letIn++;
        assertThat(answer(first.store.join(next, true, Deadlines.far()))).isEqualTo(new Queued(1));
        answer(second.store.inspect(lock)); // comes after whatever is told
        assertThat(hints).hasValue(0);
      }
    }
    assertThat(letIn).isPositive();
  }

  private static void handOver(String lock, List<Client> clients, int turn) throws Exception {
    Client holder = clients.get(turn % 2);
    Client next = clients.get((turn + 1) % 2);
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

  /** Of several times, because pings disturb some, and a slow machine makes a hold a long one. */
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
        store.refresh(
            claims, Deadlines.far())); // comes after those that others have asked for meanwhile
    long before = requests();

    assertThat(answer(store.refresh(claims, Deadlines.far())).values())
        .hasSize(MANY)
        .allMatch(Granted.class::isInstance);

    assertThat(requests() - before).isLessThan(20); // an audit may fall into it, and pings
    answer(store.leave(claims.stream().map(Departure::of).toList(), Deadlines.far()));
    assertThat(answer(store.list("", 10))).isEmpty();
  }

  /**
   * One client for each waiter; some take their turns, and as many come to wait as have left. The
   * least that a turn has cost counts: pings, one in ten seconds for each client, disturb the rest.
   */
  private long requestsForHandOff(int waiting) throws Exception {
    String lock = ZooKeeperScene.name();
    List<Client> clients = new ArrayList<>(open(waiting + TURNS));
    List<Client> queue = clients.subList(0, waiting + 1);
    queue.parallelStream().forEach(client -> client.joins(lock));
    queue.sort(Comparator.comparingInt(client -> client.position));
    long least = Long.MAX_VALUE;
    for (int i = 0; i < TURNS - 1; i++) {
      Client next = clients.get(i + 1);
      clients.subList(i, waiting + 1 + i).parallelStream().forEach(Client::lives);
      long before = requests();
      leave(clients.get(i).store, clients.get(i).claim);
      eventually().until(() -> next.hints.get() > 0);
      assertThat(standing(next.store, next.claim)).isInstanceOf(Granted.class);
      assertThat(standing(next.store, next.claim)).isInstanceOf(Granted.class);
      least = Math.min(least, requests() - before);
      clients.get(waiting + 1 + i).joins(lock);
    }
    assertThat(clients.stream().skip(TURNS).mapToInt(client -> client.hints.get()).sum())
        .as("hints to those whose turn has not come")
        .isZero();
    clients.forEach(client -> client.store.close());
    return least;
  }

  private List<Client> open(int count) {
    return IntStream.range(0, count).parallel().mapToObj(i -> new Client()).toList();
  }

  private final class Client {
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

    /** On a slow machine the turn of those who wait comes late. */
    void lives() {
      store.refresh(List.of(claim), Deadlines.far()).toCompletableFuture().join();
    }
  }

  private long requests() throws IOException {
    return ServerReport.ask(server.connectString(), Duration.ofSeconds(20)).received();
  }
}
