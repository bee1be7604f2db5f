package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;

import dev.holdfast.ClaimInfo;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.redis.client.ServerInfo;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server counts: a lock costs as many calls as is promised. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RoundTripsIT {

  private static final int ROUNDS = 50;

  /** As long as may be: a slow machine must not end it. */
  private static final LockOptions KEPT =
      LockOptions.defaults().keepIdle(Duration.ofSeconds(10)).handOff(Duration.ofSeconds(10));

  private RedisServer server;
  private RedisFixture fixture;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    fixture = new RedisFixture(server.url());
  }

  @AfterEach
  void stop() {
    fixture.close();
    server.close();
  }

  @Test
  void taking_and_releasing_a_free_lock_are_one_call_each() throws Exception {
    try (Holdfast locks = Holdfast.connect(server.url())) {
      locks.lock("warm up").acquire().close();
      long before = calls();

      for (int i = 0; i < ROUNDS; i++) {
        try (Lease lease = locks.lock("lock " + i).acquire()) {
          assertThat(calls() - before).isEqualTo(2 * i + 1);
        }
        int expected = 2 * i + 2;
        // A lease that is closed does not wait for the answer.
        Awaitility.await().until(() -> calls() - before == expected);
      }
    }
  }

  @Test
  void a_lock_that_a_client_keeps_coming_back_to_costs_no_call() throws Exception {
    try (Holdfast locks = Holdfast.connect(server.url())) {
      DistributedLock lock = locks.lock("lock", KEPT);
      comeBack(lock);
      long before = calls();

      long token = 0;
      for (int i = 0; i < ROUNDS; i++) {
        try (Lease lease = lock.acquire()) {
          assertThat(lease.token()).isGreaterThan(token);
          token = lease.token();
        }
      }

      assertThat(calls()).isEqualTo(before);
      assertThat(locks.inspect("lock").holders()).singleElement().matches(ClaimInfo::keepable);
    }
  }

  @Test
  void another_client_gets_a_kept_lock_at_the_price_of_one_message() throws Exception {
    try (Holdfast keeper = Holdfast.connect(server.url());
        Holdfast other = Holdfast.connect(server.url())) {
      comeBack(keeper.lock("lock", KEPT));
      long calls = calls();
      long messages = messages();

      try (Lease lease = other.lock("lock").tryAcquire()) {
        assertThat(lease).isNotNull();
        // One to the client that kept it, and one that the turn has come.
        assertThat(messages() - messages).isEqualTo(2);
        // A join, the leave of the other claim, and refreshes: after a message, or sooner.
        assertThat(calls() - calls).isBetween(3L, 6L);
      }
    }
  }

  @Test
  void the_holder_gets_one_message_however_many_want_the_lock() {
    try (LockStore holder = fixture.open();
        LockStore other = fixture.open()) {
      AtomicInteger hints = new AtomicInteger();
      holder.observe("lock", hints::incrementAndGet);
      Claim claim = Ask.mutex("lock").keepable(true);
      Ask.granted(holder, claim);
      Claim first = Ask.mutex("lock");

      assertThat(Ask.join(other, first)).isEqualTo(new Queued(1, true));
      for (int i = 0; i < 10; i++) {
        Ask.queue(other, Ask.mutex("lock"));
        Ask.join(other, Ask.mutex("lock"));
        Ask.refresh(other, first);
      }
      assertThat(((Granted) Ask.refresh(holder, claim)).wanted()).isTrue();
      Ask.queue(other, Ask.mutex("lock"));

      Awaitility.await().untilAtomic(hints, equalTo(1));
      assertThat(messages()).isEqualTo(1);
    }
  }

  @Test
  void the_holder_of_a_claim_that_is_not_keepable_gets_no_message() {
    try (LockStore store = fixture.open()) {
      Ask.granted(store, Ask.mutex("lock"));
      Ask.queue(store, Ask.mutex("lock"));
      Ask.queue(store, Ask.mutex("lock").keepable(true));

      assertThat(messages()).isZero();
    }
  }

  @Test
  void a_hand_off_costs_the_same_however_many_wait() {
    double few = callsPerHandOff(1);
    double many = callsPerHandOff(100);

    assertThat(many).isBetween(few - 2, few + 2);
  }

  @Test
  void hundreds_of_claims_are_renewed_in_a_few_calls() {
    try (LockStore store = fixture.open()) {
      List<Claim> claims = new ArrayList<>();
      for (int i = 0; i < 256; i++) {
        Claim claim = Ask.mutex("lock " + i);
        Ask.granted(store, claim);
        claims.add(claim);
      }
      Ask.refresh(store, claims.get(0)); // the server knows the script now
      long before = calls();

      assertThat(Ask.of(store.refresh(claims, Deadlines.far())).values())
          .allMatch(Granted.class::isInstance);

      assertThat(calls() - before).isEqualTo(4);
    }
  }

  /** One client per waiter; each takes its turn and leaves. */
  private double callsPerHandOff(int waiters) {
    String lock = Ask.name();
    List<LockStore> stores = new ArrayList<>();
    List<Claim> claims = new ArrayList<>();
    List<AtomicInteger> hints = new ArrayList<>();
    try (LockStore first = fixture.open()) {
      Claim holder = Ask.mutex(lock);
      Ask.granted(first, holder);
      for (int i = 0; i < waiters; i++) {
        LockStore store = fixture.open();
        Claim claim = Ask.mutex(lock);
        AtomicInteger hint = new AtomicInteger();
        store.observe(lock, hint::incrementAndGet);
        assertThat(Ask.queue(store, claim)).isInstanceOf(Queued.class);
        stores.add(store);
        claims.add(claim);
        hints.add(hint);
      }
      Ask.refresh(stores.get(0), claims.get(0));
      long before = calls();

      Ask.leave(first, holder);
      int turns = Math.min(waiters, 10);
      for (int i = 0; i < turns; i++) {
        Awaitility.await().untilAtomic(hints.get(i), greaterThan(0));
        assertThat(Ask.refresh(stores.get(i), claims.get(i))).isInstanceOf(Granted.class);
        Ask.leave(stores.get(i), claims.get(i));
      }

      return (double) (calls() - before) / turns;
    } finally {
      stores.forEach(LockStore::close);
    }
  }

  /** Often enough for its claim to be kept. */
  private static void comeBack(DistributedLock lock) throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      lock.acquire().close();
    }
  }

  /** How many scripts clients have run. */
  private long calls() {
    ServerInfo stats = stats();
    return calls(stats, "evalsha") + calls(stats, "eval");
  }

  private long messages() {
    return calls(stats(), "publish");
  }

  private ServerInfo stats() {
    return ServerInfo.parse((String) server.command("INFO", "commandstats"));
  }

  private static long calls(ServerInfo stats, String command) {
    String text = stats.text("cmdstat_" + command, "calls=0,");
    return Long.parseLong(text.substring("calls=".length(), text.indexOf(',')));
  }
}
