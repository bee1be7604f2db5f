package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.ClaimInfo;
import dev.holdfast.DistributedLock;
import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeasedLock;
import dev.holdfast.LockEvent;
import dev.holdfast.LockOptions;
import dev.holdfast.Proof;
import dev.holdfast.ProofKey;
import dev.holdfast.Registration;
import dev.holdfast.RequestGuard;
import dev.holdfast.StaleTokenException;
import dev.holdfast.UntrustedProofException;
import dev.holdfast.fence.FileFence;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples of docs/API.md. Each region is what the reader sees; the rest makes it run. */
class ApiSamplesTest {

  private final Holdfast locks = Holdfast.connect("memory:api");

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void a_lease_is_held_for_a_scope() throws Exception {
    Ledger ledger = new Ledger();
    String invoice = "42";
    // sample: acquire
    try (Holdfast locks = Holdfast.connect("memory:"); // or "sqlite:/var/lib/app/locks.db"
        Lease lease = locks.lock("invoice/42").acquire(Duration.ofSeconds(5))) {
      ledger.post(invoice, lease.token());
    }
    // end
    assertThat(ledger.posted).containsKey("42");
  }

  @Test
  void a_free_lock_is_taken_and_a_busy_one_is_skipped() throws Exception {
    DistributedLock lock = locks.lock("index");
    assertThat(tryToRebuild(lock)).isEqualTo("rebuilt");
    try (Holdfast other = Holdfast.connect("memory:api");
        Lease lease = other.lock("index").acquire()) {
      assertThat(tryToRebuild(lock)).isEqualTo("skipped");
    }
  }

  private static String tryToRebuild(DistributedLock lock) throws InterruptedException {
    // sample: try
    try (Lease lease = lock.tryAcquire()) {
      if (lease == null) {
        return "skipped"; // busy: held by another
      }
      return rebuildIndex(lease.token());
    }
    // end
  }

  @Test
  void a_lease_comes_in_a_future() throws Exception {
    DistributedLock lock = locks.lock("report");
    // sample: async
    CompletableFuture<String> report =
        lock.acquireAsync(Duration.ofSeconds(30))
            .thenApplyAsync(
                lease -> {
                  try (lease) {
                    return buildReport(lease.token());
                  }
                });
    // end
    assertThat(report.get(60, TimeUnit.SECONDS)).isEqualTo("report");
    assertThat(locks.inspect("report").isHeld()).isFalse();
  }

  @Test
  void work_stops_when_the_lease_is_lost() throws Exception {
    DistributedLock lock = locks.lock("import");
    Importer importer = new Importer(3);
    // sample: lost
    try (Lease lease = lock.acquire();
        Registration whenLost = lease.onLost(importer::stop)) {
      while (importer.hasNext()) {
        lease.ensure(Duration.ofSeconds(5)); // the double check: throws if the lock is lost
        importer.importNext(lease.token());
      }
    }
    // end
    assertThat(importer.imported).hasSize(3);
  }

  @Test
  void a_fence_refuses_a_late_holder() throws Exception {
    Map<String, Integer> stock = new HashMap<>(Map.of("apples", 3));
    Proof old = proof("stock");
    Proof proof = proof("stock");
    // sample: fence
    Fence fence = Fence.inMemory(); // lives beside the data, not beside the lock

    fence.enter(proof); // before the first read: from here on, smaller tokens are refused
    int apples = stock.get("apples");
    fence.check(proof); // with each write
    stock.put("apples", apples - 1);
    // end
    assertThat(stock).containsEntry("apples", 2);
    assertThatThrownBy(() -> fence.check(old)).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void a_worker_checks_the_sender_of_a_request() throws Exception {
    Fence fence = Fence.inMemory();
    Proof over = proof("orders");
    try (Lease lease = locks.lock("orders").acquire()) {
      assertThat(accept(lease.proof(), fence)).isTrue();
    }
    assertThat(accept(over, fence)).isFalse();
  }

  @Test
  void a_worker_wants_proofs_to_be_signed() throws Exception {
    Fence fence = Fence.inMemory();
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    List<ProofKey> keys = List.of(ProofKey.of("k1", secret));
    try (Lease lease = locks.lock("orders").acquire()) {
      // sample: signed
      Proof signed = lease.proof().sign(keys.get(0)); // the sender

      RequestGuard guard = RequestGuard.of(locks, fence).requiring(keys); // the worker
      guard.enter(signed);
      // end
      assertThatThrownBy(() -> guard.enter(lease.proof()))
          .isInstanceOf(UntrustedProofException.class);
    }
  }

  private boolean accept(Proof proof, Fence fence) {
    try {
      // sample: verify
      RequestGuard guard = RequestGuard.of(locks, fence);

      guard.enter(proof); // asks the store for the holder, and the fence for the last token
      guard.check(proof); // the same before each further write
      // end
      return true;
    } catch (LeaseLostException | StaleTokenException refused) {
      return false;
    }
  }

  @Test
  void a_file_refuses_a_late_holder(@TempDir Path folder) throws Exception {
    Path prices = Files.writeString(folder.resolve("prices.csv"), "apples;1");
    Proof old = proof("prices");
    Proof proof = proof("prices");
    // sample: file
    FileFence fence = FileFence.beside(prices);

    fence.enter(proof); // before the first read
    String cheaper = Files.readString(prices).replace(";1", ";0.9");
    fence.write(proof, cheaper.getBytes(StandardCharsets.UTF_8)); // checks and replaces
    // end
    assertThat(prices).hasContent("apples;0.9");
    assertThatThrownBy(() -> fence.write(old, new byte[0])).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void options_are_named_where_they_are_used() throws Exception {
    List<String> reports = new ArrayList<>();
    // sample: options
    LockOptions nightly =
        LockOptions.defaults()
            .ttl(Duration.ofSeconds(30)) // a dead holder is replaced after this
            .maxHold(Duration.ofHours(2)) // a stuck one too, though it renews
            .minHold(Duration.ofMinutes(1)) // no other host runs it in the same minute
            .label("nightly-report"); // what others see while they wait

    boolean ran = locks.lock("report/nightly", nightly).tryRun(() -> reports.add("done"));
    // end
    assertThat(ran).isTrue();
    assertThat(reports).containsExactly("done");
    assertThat(locks.inspect("report/nightly").isHeld()).as("until minHold is over").isTrue();
  }

  @Test
  void a_lock_can_be_used_as_any_other() throws Exception {
    List<String> done = new ArrayList<>();
    // sample: as-lock
    LeasedLock lock = locks.lock("cache/warm-up").asLock(); // a java.util.concurrent.locks.Lock
    lock.lock();
    try {
      done.add("warm with token " + lock.lease().token());
    } finally {
      lock.unlock(); // throws LeaseLostException if the lock was lost
    }
    // end
    assertThat(done).singleElement().asString().startsWith("warm with token ");
  }

  @Test
  void the_holder_of_a_lock_can_be_asked_for() throws Exception {
    StringBuilder seen = new StringBuilder();
    LockOptions labelled = LockOptions.defaults().label("billing-7");
    try (Lease lease = locks.lock("invoice/7", labelled).acquire()) {
      // sample: inspect
      for (ClaimInfo holder : locks.inspect("invoice/7").holders()) {
        seen.append(holder.owner().describe()); // billing-7 (host web-3, pid 4121)
      }
      // end
      assertThat(seen.toString()).startsWith("billing-7 (host ");
      // sample: break
      ClaimInfo stuck = locks.inspect("invoice/7").holders().get(0);
      boolean broken = locks.breakLock("invoice/7", stuck.token()); // that holder, not a later one
      // end
      assertThat(broken).isTrue();
      assertThat(lease.token()).isPositive();
    }
  }

  @Test
  void what_happens_is_reported() throws Exception {
    List<String> pages = new CopyOnWriteArrayList<>();
    // sample: listener
    HoldfastListener pager =
        event -> {
          if (event.type() == LockEvent.Type.LOST) {
            pages.add(event.lock() + " was lost: " + event.outcome());
          }
        };
    Holdfast client = Holdfast.builder().store("memory:").listener(pager).build();
    // end
    try (client;
        Lease lease = client.lock("invoice/9").acquire()) {
      client.breakLock("invoice/9");
      await().until(() -> pages.contains("invoice/9 was lost: ENDED_BY_STORE"));
      assertThat(lease.isValid()).isFalse();
    }
  }

  private Proof proof(String name) throws InterruptedException {
    try (Lease lease = locks.lock(name).acquire()) {
      return lease.proof();
    }
  }

  private static String rebuildIndex(long token) {
    assertThat(token).isPositive();
    return "rebuilt";
  }

  private static String buildReport(long token) {
    assertThat(token).isPositive();
    return "report";
  }

  /** Keeps the token of the last writer, as a fenced resource does. */
  private static final class Ledger {
    private final Map<String, Long> posted = new HashMap<>();

    void post(String invoice, long token) {
      posted.put(invoice, token);
    }
  }

  private static final class Importer {
    private final List<Long> imported = new ArrayList<>();
    private final int rows;
    private volatile boolean stopped;

    Importer(int rows) {
      this.rows = rows;
    }

    boolean hasNext() {
      return !stopped && imported.size() < rows;
    }

    void importNext(long token) {
      imported.add(token);
    }

    void stop() {
      stopped = true;
    }
  }
}
