package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts requests at the server: a lock costs as many as documented. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class RoundTripsIT {

  private static ConsulServer server;
  private static Requests requests;
  private ConsulFixture fixture;

  @BeforeAll
  static void start() {
    server = ConsulServer.start(Requests.SETTINGS);
    requests = new Requests(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void open() {
    fixture = new ConsulFixture(server.url(), () -> {});
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void a_free_lock_is_acquired_by_one_transaction_beside_one_renewal_of_the_session() {
    try (LockStore store = fixture.open()) {
      Ask.leave(store, granted(store, Ask.name()));
      long transactions = requests.of("txn");
      long all = requests.of("txn", "session");

      Claim claim = granted(store, Ask.name());

      assertThat(requests.of("txn") - transactions).isEqualTo(1);
      assertThat(requests.of("txn", "session") - all).isEqualTo(2);
      Ask.leave(store, claim);
      assertThat(requests.of("txn", "session") - all).isEqualTo(3);
    }
  }

  @Test
  void a_held_lock_is_found_busy_by_two_transactions() {
    try (LockStore store = fixture.open()) {
      String lock = Ask.name();
      granted(store, lock);
      long before = requests.of("txn");

      assertThat(Ask.join(store, Ask.mutex(lock))).isInstanceOf(Busy.class);

      assertThat(requests.of("txn") - before).isEqualTo(2);
    }
  }

  @Test
  void a_hand_off_costs_the_same_however_many_wait() {
    // Leave; then read the queue, renew the session, and move the key to it.
    assertThat(requestsOfHandOff(1)).isEqualTo(4);
    assertThat(requestsOfHandOff(10)).isEqualTo(4);
    assertThat(requestsOfHandOff(100)).isEqualTo(4);
  }

  /** One client for each waiter: they share no wake-ups. */
  private long requestsOfHandOff(int waiters) {
    String lock = Ask.name();
    List<LockStore> stores = new ArrayList<>();
    List<AtomicInteger> hints = new ArrayList<>();
    Claim first = Ask.mutex(lock, Duration.ofMinutes(10));
    try (LockStore holder = fixture.open()) {
      Claim held = granted(holder, lock);
      for (int i = 0; i < waiters; i++) {
        LockStore store = fixture.open();
        stores.add(store);
        AtomicInteger heard = new AtomicInteger();
        hints.add(heard);
        store.observe(lock, heard::incrementAndGet);
      }
      assertThat(Ask.queue(stores.get(0), first)).isInstanceOf(Queued.class);
      List<CompletionStage<JoinAnswer>> others =
          stores.stream()
              .skip(1)
              .map(
                  store ->
                      store.join(Ask.mutex(lock, Duration.ofMinutes(10)), true, Deadlines.far()))
              .toList();
      others.forEach(answer -> assertThat(Ask.of(answer)).isInstanceOf(Queued.class));
      long before = requests.of("txn", "session");

      Ask.leave(holder, held);
      Awaitility.await().until(() -> hints.get(0).get() == 1);
      assertThat(Ask.refresh(stores.get(0), first)).isInstanceOf(Granted.class);

      long after = requests.of("txn", "session");
      assertThat(hints.subList(1, waiters)).allMatch(heard -> heard.get() == 0);
      return after - before;
    } finally {
      stores.forEach(LockStore::close);
    }
  }

  @Test
  void a_client_that_waits_for_more_locks_than_it_has_connections_is_woken_in_turn() {
    try (LockStore holder = fixture.open();
        LockStore waiter = fixture.open()) {
      AtomicInteger hints = new AtomicInteger();
      Claim last = null;
      for (int i = 0; i < 33; i++) {
        String lock = Ask.name();
        last = granted(holder, lock);
        waiter.observe(lock, hints::incrementAndGet);
        Ask.queue(waiter, Ask.mutex(lock, Duration.ofMinutes(10)));
      }

      Ask.leave(holder, last);

      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> hints.get() > 0);
    }
  }

  @Test
  void ten_thousand_locks_are_kept_by_one_session_and_renewed_in_a_few_requests() throws Exception {
    try (Ticker ticker = Ticker.system("round-trips-it");
        LockStore store =
            new ConsulProvider()
                .open(server.url(), new StoreSettings(ticker, Duration.ofMinutes(5)))) {
      long sessions = requests.of("session_create");
      List<Claim> claims = new ArrayList<>();
      List<CompletionStage<JoinAnswer>> answers = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        Claim claim = Ask.mutex("many/" + i, Duration.ofMinutes(10));
        claims.add(claim);
        answers.add(store.join(claim, false, Deadlines.in(Duration.ofMinutes(5))));
      }
      for (CompletionStage<JoinAnswer> answer : answers) {
        assertThat(Ask.of(answer)).isInstanceOf(Granted.class);
      }
      assertThat(requests.of("session_create") - sessions).isEqualTo(1);
      long reads = requests.of("txn");
      long renewals = requests.of("session_renew");

      List<Standing> standings =
          List.copyOf(Ask.of(store.refresh(claims, Deadlines.in(Duration.ofMinutes(5)))).values());

      assertThat(standings).hasSize(10_000).allMatch(Granted.class::isInstance);
      assertThat(requests.of("txn") - reads).isEqualTo(159); // 63 in each
      assertThat(requests.of("session_renew") - renewals).isLessThanOrEqualTo(159);
    }
  }

  private static Claim granted(LockStore store, String lock) {
    Claim claim = Ask.mutex(lock);
    Ask.granted(store, claim);
    return claim;
  }
}
