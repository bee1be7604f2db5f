package dev.holdfast.leased;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaitingClaimTest {

  private static final Owner OWNER = new Owner("host", 1, "thread", "client", "");

  private final AtomicInteger wakes = new AtomicInteger();

  @Test
  void a_claim_that_needs_the_whole_capacity_is_woken_by_the_one_ahead() {
    WaitingClaim waiting = waiting(Kind.MUTEX, 1, 1, 1);

    assertThat(waiting.next()).isNull();

    waiting.deleted(key(0));

    assertThat(wakes).hasValue(1);
    assertThat(waiting.next()).isNotNull();
  }

  @Test
  void a_claim_that_is_woken_because_the_watch_broke_is_not_taken_for_the_next() {
    WaitingClaim waiting = waiting(Kind.MUTEX, 1, 1, 1);

    waiting.interrupted();

    assertThat(wakes).hasValue(1);
    assertThat(waiting.next()).isNull();
  }

  @Test
  void a_permit_is_woken_once_there_is_room_and_not_before() {
    WaitingClaim waiting = waiting(Kind.SEMAPHORE, 2, 3, 4);

    waiting.deleted(key(0));
    waiting.deleted(key(1));
    assertThat(wakes).hasValue(0);

    waiting.deleted(key(2));
    assertThat(wakes).hasValue(1);
  }

  @Test
  void two_watches_may_report_at_once() throws Exception {
    int half = 2_000;
    WaitingClaim waiting = waiting(Kind.SEMAPHORE, 1, 1_000_000, 2 * half);
    CyclicBarrier start = new CyclicBarrier(2);

    CompletableFuture<Void> one = CompletableFuture.runAsync(() -> delete(waiting, start, 0, half));
    CompletableFuture<Void> two =
        CompletableFuture.runAsync(() -> delete(waiting, start, half, 2 * half));

    CompletableFuture.allOf(one, two).get(60, TimeUnit.SECONDS);
    assertThat(wakes).hasValue(2 * half);
  }

  private static void delete(WaitingClaim waiting, CyclicBarrier start, int from, int to) {
    try {
      start.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    IntStream.range(from, to).forEach(number -> waiting.deleted(key(number)));
  }

  private WaitingClaim waiting(Kind kind, int weight, int capacity, int ahead) {
    Claim claim =
        new Claim("id", "lock", kind, weight, capacity, OWNER, Duration.ofSeconds(9), null, 0, 0);
    List<ClaimRecord> records =
        IntStream.range(0, ahead).mapToObj(number -> record(kind, number, capacity)).toList();
    return new WaitingClaim(
        claim,
        new KeyWatches.Target("lock", key(0)),
        record(kind, -1, capacity),
        records,
        new NoFormat(),
        wakes::incrementAndGet);
  }

  private static ClaimRecord record(Kind kind, int number, int capacity) {
    return new ClaimRecord(
        new StoredKey(key(number), "", "lease", 1, 1),
        "id",
        ClaimRecord.State.WAITING,
        kind,
        1,
        capacity,
        Duration.ZERO,
        0,
        OWNER,
        false,
        null);
  }

  private static String key(int number) {
    return "key " + number;
  }

  /** Deletions have no text. */
  private static final class NoFormat implements RecordFormat {
    @Override
    public ClaimRecord parse(StoredKey stored) {
      throw new IllegalStateException("nothing is parsed");
    }

    @Override
    public String text(ClaimRecord claim) {
      throw new IllegalStateException("nothing is written");
    }
  }
}
