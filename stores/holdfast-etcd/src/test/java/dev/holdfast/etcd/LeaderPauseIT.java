package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.EtcdCluster;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A leader is paused past every lease, replaced, and resumed. It then ends leases that the next
 * leader has renewed: no claim may end before its time by that, and no two may hold.
 *
 * <p>More pauses than the usual three: {@code -Dholdfast.etcd.pauses=12}.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES) // with many pauses
class LeaderPauseIT {

  private static final int PAUSES = Integer.getInteger("holdfast.etcd.pauses", 3);
  private static final int RENEWERS = 6;
  private static final int CLIENTS = 3;
  private static final Duration TTL = Duration.ofSeconds(4);
  private static final Duration VALID = TTL.multipliedBy(3).dividedBy(4);

  /** All leases have ended by the clock of the leader that is paused. */
  private static final Duration PAUSE = TTL.plus(EtcdLeases.SPARE).plusMillis(500);

  private static final Duration AFTERMATH = Duration.ofMillis(2500);

  private final Ticker ticker = Ticker.system("leader-pause-it");
  private final ScheduledExecutorService executor =
      Executors.newScheduledThreadPool(RENEWERS + 2 * CLIENTS + 1);
  private final List<Renewer> renewers = new ArrayList<>();
  private final List<Holdfast> clients = new ArrayList<>();
  private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

  // Findings
  private final Queue<String> early = new ConcurrentLinkedQueue<>();
  private final Set<String> overlaps = ConcurrentHashMap.newKeySet();

  @AfterEach
  void stop() throws Exception {
    executor.shutdownNow();
    assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    clients.forEach(Holdfast::close);
    renewers.forEach(renewer -> renewer.store.close());
    ticker.close();
  }

  @Test
  @NeedsServer(value = Server.ETCD, ofItsOwn = true)
  void nothing_ends_early_when_a_leader_comes_back_in_etcd_3_4() {
    try (EtcdCluster cluster = EtcdCluster.start()) {
      pauseLeadersOf(cluster);
    }
  }

  @Test
  @NeedsServer(value = Server.ETCD_35, ofItsOwn = true)
  void nothing_ends_early_when_a_leader_comes_back_in_etcd_3_5() {
    try (EtcdCluster cluster = EtcdCluster.start35()) {
      pauseLeadersOf(cluster);
    }
  }

  private void pauseLeadersOf(EtcdCluster cluster) {
    for (int i = 0; i < RENEWERS; i++) {
      Renewer renewer = new Renewer(url(cluster, i));
      renewers.add(renewer);
      executor.scheduleWithFixedDelay(renewer::renew, 0, 200, TimeUnit.MILLISECONDS);
    }
    for (int i = 0; i < CLIENTS; i++) {
      Holdfast client =
          Holdfast.builder()
              .store(url(cluster, i))
              .defaults(LockOptions.defaults().ttl(TTL.minusSeconds(1)))
              .build();
      clients.add(client);
      for (int thread = 0; thread < 2; thread++) {
        executor.scheduleWithFixedDelay(() -> hold(client), 0, 1, TimeUnit.MILLISECONDS);
      }
    }
    executor.scheduleWithFixedDelay(this::judge, 0, 2, TimeUnit.MILLISECONDS);

    for (int i = 0; i < PAUSES; i++) {
      pause(cluster.leader());
    }

    assertSoftly(
        found -> {
          found
              .assertThat(early)
              .as("claims that ended while they were valid, in %d pauses", PAUSES)
              .isEmpty();
          found
              .assertThat(overlaps)
              .as("tokens that were valid together, in %d pauses", PAUSES)
              .isEmpty();
        });
  }

  private void pause(EtcdServer leader) {
    renewers.forEach(Renewer::awaitGrant);
    leader.pause();
    long paused = System.nanoTime();
    try {
      // Until some are held though the old leader thinks that they have ended.
      Awaitility.await()
          .atMost(Duration.ofSeconds(120))
          .until(
              () ->
                  isOver(paused, PAUSE)
                      && renewers.stream().anyMatch(one -> one.wasRenewedAfter(paused, PAUSE)));
    } finally {
      leader.resume();
    }
    long resumed = System.nanoTime();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> isOver(resumed, AFTERMATH));
  }

  private static boolean isOver(long since, Duration time) {
    return System.nanoTime() - since > time.toNanos();
  }

  /** Each client begins with another member. */
  private static String url(EtcdCluster cluster, int first) {
    List<EtcdServer> members = new ArrayList<>(cluster.nodes());
    Collections.rotate(members, first);
    return members.stream()
        .map(member -> "127.0.0.1:" + member.port())
        .collect(Collectors.joining(",", "etcd://", ""));
  }

  private void hold(Holdfast client) {
    try (Lease lease = client.lock("lock").acquire()) {
      leases.add(lease);
      Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
      leases.remove(lease);
    } catch (StoreException | LeaseLostException nextTime) {
      // Nothing is promised about how often it succeeds.
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void judge() {
    for (Lease one : leases) {
      for (Lease later : leases) {
        if (one.token() < later.token()
            && one.isValid()
            && later.isValid()
            && one.isValid()) { // and so both were, when the second was asked
          overlaps.add(one.token() + " and " + later.token());
        }
      }
    }
  }

  /** Holds a separate lock, on a separate lease, and renews it again and again. */
  private final class Renewer {
    private final LockStore store;
    private Claim claim = Ask.mutex(Ask.name(), TTL);
    private volatile long confirmed; // when the last renewal that was confirmed was sent; or 0

    Renewer(String url) {
      store = new EtcdProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(3)));
    }

    void awaitGrant() {
      Awaitility.await()
          .atMost(Duration.ofSeconds(120))
          .until(() -> confirmed != 0 && !isOver(confirmed, Duration.ofMillis(500)));
    }

    boolean wasRenewedAfter(long start, Duration time) {
      return confirmed != 0 && confirmed - start > time.toNanos();
    }

    void renew() {
      long sent = System.nanoTime();
      try {
        boolean granted = confirmed == 0 ? joins() : isStillGranted();
        if (granted) {
          confirmed = sent;
        }
      } catch (StoreException unknown) {
        // It is asked for again.
      }
    }

    private boolean joins() {
      return Ask.join(store, claim, Deadlines.in(VALID)) instanceof Granted;
    }

    private boolean isStillGranted() {
      Standing standing = Ask.refresh(store, claim, Deadlines.in(VALID));
      if (standing instanceof Gone) {
        if (!isOver(confirmed, VALID)) {
          early.add((System.nanoTime() - confirmed) / 1_000_000 + " ms after its renewal");
        }
        confirmed = 0;
        claim = Ask.mutex(Ask.name(), TTL);
      }
      return standing instanceof Granted;
    }
  }
}
