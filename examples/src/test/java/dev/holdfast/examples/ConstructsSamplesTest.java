package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Candidacy;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Holdfast;
import dev.holdfast.Leader;
import dev.holdfast.LeaderListener;
import dev.holdfast.LeaderObserver;
import dev.holdfast.Leadership;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The samples of docs/CONSTRUCTS.md. */
class ConstructsSamplesTest {

  private final Holdfast locks = Holdfast.connect("memory:");

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void readers_and_a_writer() throws Exception {
    List<String> pages = new ArrayList<>(List.of("a page"));
    List<String> shown = new ArrayList<>();
    // sample: read-write
    DistributedReadWriteLock catalogue = locks.readWriteLock("catalogue");
    try (Lease reading = catalogue.readLock().acquire()) {
      pages.forEach(page -> shown.add(page + " " + reading.proof().mode()));
    }
    try (Lease writing = catalogue.writeLock().acquire(Duration.ofSeconds(5))) {
      pages.add("new page");
    }
    // end
    assertThat(shown).containsExactly("a page SHARED");
    assertThat(pages).hasSize(2);
  }

  @Test
  void a_writer_becomes_a_reader() throws Exception {
    DistributedReadWriteLock catalogue = locks.readWriteLock("catalogue");
    List<String> pages = new ArrayList<>();
    List<String> shown = new ArrayList<>();
    // sample: downgrade
    Lease writing = catalogue.writeLock().acquire();
    pages.add("new page");
    try (Lease reading = catalogue.downgrade(writing)) { // no writer gets in between
      shown.addAll(pages);
    }
    // end
    assertThat(shown).containsExactly("new page");
  }

  @Test
  void permits_are_leased_one_or_more_at_a_time() throws Exception {
    List<String> sent = new ArrayList<>();
    // sample: semaphore
    DistributedSemaphore gateway = locks.semaphore("mail-gateway", 10);
    try (Lease permit = gateway.acquire()) {
      sent.add("a letter");
    }
    try (Lease permits = gateway.tryAcquire(3)) {
      if (permits != null) {
        sent.add("a parcel");
      }
    }
    // end
    assertThat(sent).containsExactly("a letter", "a parcel");
  }

  @Test
  void several_locks() throws Exception {
    Map<String, Long> tokens = new TreeMap<>();
    // sample: lock-all
    try (MultiLease both = locks.lockAll(List.of("account/7", "account/3")).acquire()) {
      for (Lease each : both.parts()) { // account/3, then account/7
        tokens.put(each.lockName(), each.token());
      }
    }
    // end
    assertThat(tokens.keySet()).containsExactly("account/3", "account/7");
  }

  @Test
  void a_leader_that_blocks() throws Exception {
    // sample: campaign
    try (Leadership leading = locks.election("scheduler").campaign("http://10.0.0.7:8080")) {
      Leader leader = locks.election("scheduler").leader().orElseThrow();
      assertThat(leader.value()).isEqualTo("http://10.0.0.7:8080");
      assertThat(leader.token()).isEqualTo(leading.token());
    }
    // end
    assertThat(locks.election("scheduler").leader()).isEmpty();
  }

  @Test
  void a_leader_that_is_notified() {
    List<String> told = new CopyOnWriteArrayList<>();
    // sample: stand
    Candidacy candidacy =
        locks
            .election("scheduler")
            .stand(
                "http://10.0.0.7:8080",
                new LeaderListener() {
                  @Override
                  public void elected(Leadership leadership) {
                    told.add("start with token " + leadership.token());
                  }

                  @Override
                  public void ended(Leadership leadership) {
                    told.add("stop");
                  }
                });
    // end
    await().until(candidacy::isLeading);
    candidacy.close();
    assertThat(told).hasSize(2).last().isEqualTo("stop");
  }

  @Test
  void an_observer() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    // sample: observe
    LeaderObserver observer =
        new LeaderObserver() {
          @Override
          public void leads(Leader leader) {
            told.add("ask " + leader.value());
          }

          @Override
          public void nobodyLeads() {
            told.add("wait");
          }

          @Override
          public void storeSilent(StoreException cause) {
            told.add("ask the last one, or nobody");
          }
        };
    Registration observing = locks.election("scheduler").observe(observer);
    // end
    try (Leadership leading = locks.election("scheduler").campaign("10.0.0.7")) {
      await().until(() -> told.contains("ask 10.0.0.7"));
      leading.publish("10.0.0.8");
      await().until(() -> told.contains("ask 10.0.0.8"));
    }
    await().until(() -> told.get(told.size() - 1).equals("wait"));
    observing.close();
  }

  @Test
  void a_scheduled_job() throws Exception {
    List<String> reports = new ArrayList<>();
    // sample: job
    LockOptions nightly =
        LockOptions.defaults().minHold(Duration.ofMinutes(5)).maxHold(Duration.ofHours(2));
    boolean ran = locks.lock("nightly-report", nightly).tryRun(() -> reports.add("done"));
    // end
    assertThat(ran).isTrue();
    assertThat(locks.lock("nightly-report", nightly).tryRun(() -> reports.add("again"))).isFalse();
    assertThat(reports).containsExactly("done");
  }

  @Test
  void a_task_with_its_lease() throws Exception {
    List<String> posted = new ArrayList<>();
    // sample: task
    locks.lock("ledger").run(lease -> posted.add("with token " + lease.token()));
    long balance =
        locks
            .lock("ledger")
            .call(
                lease -> {
                  lease.ensure(Duration.ofSeconds(5)); // before a step that takes a while
                  return 42L;
                });
    // end
    assertThat(posted).hasSize(1);
    assertThat(balance).isEqualTo(42);
  }

  @Test
  void a_longer_hold() throws Exception {
    LockOptions hourly = LockOptions.defaults().maxHold(Duration.ofHours(1));
    // sample: extend
    try (Lease lease = locks.lock("import", hourly).acquire()) {
      lease.extend(Duration.ofHours(3), Duration.ZERO); // three hours from now on
      lease.unbind(); // another thread goes on with it; ours would queue like any other
      assertThat(locks.lock("import").tryAcquire()).isNull();
    }
    // end
    assertThat(locks.inspect("import").isHeld()).isFalse();
  }
}
