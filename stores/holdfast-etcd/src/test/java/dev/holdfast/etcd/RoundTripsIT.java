package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server counts: a lock costs as many requests as is promised. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class RoundTripsIT {

  /** Enough for ten thousand requests at once on a machine that has other things to do. */
  private static final Duration LONG = Duration.ofSeconds(60);

  private EtcdServer server;
  private EtcdFixture fixture;
  private Metrics metrics;

  @BeforeEach
  void start() {
    server = EtcdServer.start();
    fixture = new EtcdFixture(server.url(), () -> {});
    metrics = new Metrics(server.endpoint());
  }

  @AfterEach
  void stop() {
    fixture.close();
    server.close();
  }

  @Test
  void a_free_lock_is_taken_by_one_transaction_and_released_by_another() {
    try (HurriedTicker ticker = new HurriedTicker();
        LockStore store = open(ticker)) {
      takeAndLeave(store);
      long renewals = metrics.requests("LeaseKeepAlive");
      long others = metrics.requests() - renewals;

      Claim claim = Ask.mutex("lock");
      Ask.granted(store, claim);
      assertThat(metrics.requests() - metrics.requests("LeaseKeepAlive") - others).isEqualTo(1);
      Ask.leave(store, claim);

      assertThat(metrics.requests() - metrics.requests("LeaseKeepAlive") - others).isEqualTo(2);
      assertThat(metrics.watchMessages()).isZero(); // nothing is watched that is let go at once
    }
  }

  @Test
  void a_lease_is_renewed_by_a_join_once_its_spare_time_is_over_and_not_before() {
    try (HurriedTicker ticker = new HurriedTicker();
        LockStore store = open(ticker)) {
      for (int i = 0; i < 100; i++) {
        takeAndLeave(store);
      }
      long few = metrics.requests("LeaseKeepAlive");
      assertThat(few).isLessThan(50); // one in a second

      ticker.jump(EtcdLeases.SPARE);
      takeAndLeave(store);

      assertThat(metrics.requests("LeaseKeepAlive")).isEqualTo(few + 1);
      assertThat(metrics.requests("LeaseGrant")).isEqualTo(1);
    }
  }

  @Test
  void a_renewal_is_not_relied_on_once_there_is_another_leader() {
    try (HurriedTicker ticker = new HurriedTicker();
        LockStore store = open(ticker)) {
      takeAndLeave(store);
      ticker.jump(EtcdLeases.SPARE);
      takeAndLeave(store); // renews the lease
      ticker.stop(); // so that its spare time lasts

      server.restart(); // leads in a new term, and its metrics start at zero

      Ask.granted(store, Ask.mutex("lock"));
      assertThat(metrics.requests("LeaseGrant")).isEqualTo(1);
    }
  }

  /** The server's time went on, and the lease may be about to end. */
  @Test
  void a_renewal_before_the_machine_slept_is_not_relied_on() {
    try (HurriedTicker ticker = new HurriedTicker();
        LockStore store = open(ticker)) {
      takeAndLeave(store);
      long few = metrics.requests("LeaseKeepAlive");

      ticker.sleep(EtcdLeases.SPARE.plusSeconds(1));
      takeAndLeave(store);

      assertThat(metrics.requests("LeaseKeepAlive")).isGreaterThan(few);
    }
  }

  private LockStore open(Ticker ticker) {
    return new EtcdProvider().open(server.url(), new StoreSettings(ticker, LONG));
  }

  @Test
  void a_mutex_that_is_taken_is_queued_for_by_one_transaction() {
    try (LockStore store = fixture.open();
        LockStore other = fixture.open()) {
      Ask.granted(other, Ask.mutex("lock"));
      assertThat(Ask.queue(other, Ask.mutex("lock"))).isEqualTo(new Queued(1));
      for (int i = 0; i < 4; i++) { // opens the lease for it, and finds free keys
        Claim before = Ask.mutex("lock");
        assertThat(Ask.queue(store, before)).isEqualTo(new Queued(2));
        Ask.leave(store, before);
      }
      long requests = metrics.requests("Txn", "Range");

      assertThat(Ask.queue(store, Ask.mutex("lock"))).isEqualTo(new Queued(2));

      assertThat(metrics.requests("Txn", "Range") - requests).isEqualTo(1);
    }
  }

  @Test
  void idle_watches_do_not_pile_up_at_the_server() {
    try (LockStore store = fixture.open();
        LockStore other = fixture.open()) {
      int rounds = EtcdWatches.MAX_IDLE + EtcdWatches.MAX_IDLE / 2;
      for (int i = 0; i < rounds; i++) {
        Claim held = Ask.mutex("lock");
        Claim waiting = Ask.mutex("lock");
        Ask.granted(other, held);
        Ask.queue(store, waiting);
        Ask.leave(store, waiting);
        Ask.leave(other, held);
      }

      Awaitility.await().until(() -> metrics.watches() < 10);
    }
  }

  @Test
  void watches_of_unused_locks_do_not_pile_up_at_the_server() {
    try (LockStore store = fixture.open();
        LockStore other = fixture.open()) {
      int rounds = EtcdWatches.MAX_IDLE + EtcdWatches.MAX_IDLE / 2;
      for (int i = 0; i < rounds; i++) {
        Claim waiting = Ask.mutex("lock " + i);
        Ask.granted(other, Ask.mutex("lock " + i));
        Ask.queue(store, waiting);
        Ask.leave(store, waiting);
      }

      // Those of the other client are of locks that it holds.
      Awaitility.await().until(() -> metrics.watches() < rounds + EtcdWatches.MAX_IDLE);
    }
  }

  @Test
  void clients_that_wait_for_each_other_in_turn_make_their_watches_once() {
    try (LockStore one = fixture.open();
        LockStore other = fixture.open()) {
      List<LockStore> stores = List.of(one, other);
      AtomicInteger hints = new AtomicInteger();
      stores.forEach(store -> store.observe("lock", hints::incrementAndGet));
      Claim holder = Ask.mutex("lock");
      Ask.granted(other, holder);
      int turns = 100;
      for (int turn = 0; turn < turns; turn++) {
        LockStore waiting = stores.get(turn % 2);
        Claim next = Ask.mutex("lock");
        Ask.queue(waiting, next);
        Ask.leave(stores.get((turn + 1) % 2), holder);
        int woken = turn + 1;
        Awaitility.await().until(() -> hints.get() >= woken);
        assertThat(Ask.refresh(waiting, next)).isInstanceOf(Granted.class);
        holder = next;
      }

      // A few keys, and two messages more for each turn that took long enough to be watched.
      assertThat(metrics.watchMessages()).isLessThan(turns);
    }
  }

  @Test
  void a_lock_that_is_taken_is_found_busy_by_one_transaction() {
    try (LockStore store = fixture.open()) {
      Ask.granted(store, Ask.mutex("lock"));
      long before = metrics.requests("Txn", "Range");

      Ask.join(store, Ask.mutex("lock"));

      assertThat(metrics.requests("Txn", "Range") - before).isEqualTo(1);
    }
  }

  @Test
  void only_a_keepable_claim_is_watched_from_the_start_and_renewed_by_one_read() {
    try (LockStore store = fixture.open()) {
      Claim claim = Ask.mutex("lock").keepable(true);
      Ask.granted(store, claim);
      Awaitility.await().until(() -> metrics.watchMessages() > 0);
      long before = metrics.requests("Txn", "Range");

      assertThat(((Granted) Ask.refresh(store, claim)).wanted()).isFalse();
      assertThat(metrics.requests("Txn", "Range") - before).isEqualTo(1);

      Ask.refresh(store, claim.keepable(false)); // reads, and removes the mark
      assertThat(metrics.requests("Txn", "Range") - before).isEqualTo(3);
    }
  }

  @Test
  void a_keepable_claim_gets_its_turn_by_one_transaction_that_says_if_others_wait() {
    try (LockStore store = fixture.open();
        LockStore other = fixture.open()) {
      AtomicInteger hints = new AtomicInteger();
      store.observe("lock", hints::incrementAndGet);
      for (boolean wanted : new boolean[] {false, true}) {
        Claim held = Ask.mutex("lock");
        Claim next = Ask.mutex("lock").keepable(true);
        Claim last = Ask.mutex("lock");
        Ask.granted(other, held);
        Ask.queue(store, next);
        if (wanted) {
          Ask.queue(other, last);
        }
        int hinted = hints.get();
        Ask.leave(other, held);
        Awaitility.await().until(() -> hints.get() > hinted);
        long before = metrics.requests("Txn", "Range");

        Granted granted = (Granted) Ask.refresh(store, next);

        assertThat(granted.wanted()).isEqualTo(wanted);
        assertThat(metrics.requests("Txn", "Range") - before).isEqualTo(1);
        Ask.leave(store, next);
        Ask.leave(other, last);
      }
    }
  }

  @Test
  void a_hand_off_costs_the_same_however_many_wait() {
    for (int waiters : List.of(1, 10, 100)) {
      // The release, and the next one's succession.
      assertThat(requestsOfHandOff(waiters)).as("with %d waiters", waiters).isEqualTo(2);
    }
  }

  /** One client for each waiter: what one of them hears is no news to the others. */
  private long requestsOfHandOff(int waiters) {
    String lock = Ask.name();
    List<LockStore> stores = new ArrayList<>();
    List<AtomicInteger> hints = new ArrayList<>();
    long watched = metrics.watchMessages();
    try (LockStore holder = fixture.open()) {
      Claim held = Ask.mutex(lock);
      Ask.granted(holder, held);
      List<Claim> claims = new ArrayList<>();
      for (int i = 0; i < waiters; i++) {
        LockStore store = fixture.open();
        stores.add(store);
        AtomicInteger woken = new AtomicInteger();
        hints.add(woken);
        store.observe(lock, woken::incrementAndGet);
        Claim claim = Ask.mutex(lock);
        claims.add(claim);
        assertThat(Ask.queue(store, claim)).isInstanceOf(Queued.class);
      }
      takeAndLeave(stores.get(0)); // so that its lease is there
      // Each waiter watches the claim ahead; the holder, after half a second, its own key.
      awaitWatchMessages(watched + waiters + 1);
      long before = metrics.requests("Txn", "Range");

      Ask.leave(holder, held);
      Awaitility.await().until(() -> hints.get(0).get() == 1);
      assertThat(Ask.refresh(stores.get(0), claims.get(0))).isInstanceOf(Granted.class);

      assertThat(hints.subList(1, waiters)).allMatch(woken -> woken.get() == 0);
      long requests = metrics.requests("Txn", "Range") - before;
      // The old holder takes its watch back; the new one watches its key.
      awaitWatchMessages(watched + waiters + 1 + 2);
      return requests;
    } finally {
      stores.forEach(LockStore::close);
    }
  }

  private void awaitWatchMessages(long expected) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(metrics.watchMessages()).isEqualTo(expected));
  }

  private static void takeAndLeave(LockStore store) {
    Claim claim = Ask.mutex(Ask.name());
    Ask.granted(store, claim);
    Ask.leave(store, claim);
  }

  @Test
  void a_renewal_does_not_wait_for_thousands_of_joins() {
    try (LockStore store = fixture.open()) {
      Claim held = Ask.mutex("held");
      Ask.granted(store, held);
      AtomicInteger joined = new AtomicInteger();
      List<CompletionStage<JoinAnswer>> joins = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        joins.add(store.join(Ask.mutex("lock " + i), false, Deadlines.in(LONG)));
      }
      joins.forEach(join -> join.thenRun(joined::incrementAndGet));

      assertThat(Ask.refresh(store, held)).isInstanceOf(Granted.class);

      assertThat(joined).hasValueLessThan(1_000);
      joins.forEach(Ask::of);
    }
  }

  @Test
  void thousands_of_locks_are_kept_by_one_lease_and_renewed_in_a_few_requests() throws Exception {
    try (LockStore store = fixture.open()) {
      List<Claim> claims = new ArrayList<>();
      List<CompletionStage<JoinAnswer>> answers = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        Claim claim = Ask.mutex("lock " + i);
        claims.add(claim);
        answers.add(store.join(claim, false, Deadlines.in(LONG)));
      }
      for (CompletionStage<JoinAnswer> answer : answers) {
        assertThat(Ask.of(answer)).isInstanceOf(Granted.class);
      }
      assertThat(server.post("/v3/lease/leases", "{}").split("\"ID\"", -1)).hasSize(2);
      long before = metrics.requests();

      List<Standing> standings =
          List.copyOf(Ask.of(store.refresh(claims, Deadlines.in(LONG))).values());

      assertThat(standings).hasSize(10_000).allMatch(Granted.class::isInstance);
      assertThat(metrics.requests() - before).isLessThan(250);
    }
  }
}
