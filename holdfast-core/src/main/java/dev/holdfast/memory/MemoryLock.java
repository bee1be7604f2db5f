package dev.holdfast.memory;

import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.support.ClaimQueue;
import dev.holdfast.spi.support.ClaimRecord;
import dev.holdfast.spi.support.QueueClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One lock of a {@link MemorySpace}: its queue, and the stores whose claims are in it. Its clock is
 * the caller's monotonic one, read once for each step.
 *
 * <p>Not thread-safe; {@link MemorySpace} runs one step at a time.
 */
final class MemoryLock implements QueueClock {

  private final ClaimQueue<Record> queue;

  // Mutable state
  private MemoryLockStore caller;
  private long now;
  private boolean raised;
  private List<MemoryLockStore> woken = List.of();
  private Registration sweep = Registration.NONE;

  MemoryLock(String name, long lastToken, boolean raised, MemoryLockStore caller) {
    this.caller = caller;
    this.raised = raised;
    queue = new ClaimQueue<>(name, this, Record::new);
    queue.restore(queue.kind(), queue.capacity(), lastToken);
  }

  /** Begins a step on behalf of this store. */
  void begin(MemoryLockStore store) {
    caller = store;
    now = store.ticker().nanoTime();
    queue.settle();
  }

  JoinAnswer join(Claim claim, boolean wait) {
    noteFloor(claim);
    return queue.join(claim, wait);
  }

  Standing refresh(Claim claim) {
    noteFloor(claim);
    return queue.refresh(claim);
  }

  Left leave(Claim claim, Duration linger) {
    return queue.leave(claim, linger);
  }

  boolean evict(long token) {
    boolean any = queue.evict(token);
    queue.removed().forEach(this::wake);
    return any;
  }

  LockInfo inspect() {
    return queue.info();
  }

  /**
   * Ends the step.
   *
   * @return the stores with a claim that was promoted or evicted
   */
  List<MemoryLockStore> end() {
    queue.promoted().forEach(this::wake);
    Record wanted = queue.wanted();
    if (wanted != null) {
      wake(wanted);
    }
    List<MemoryLockStore> result = woken;
    woken = List.of();
    return result;
  }

  private void wake(Record record) {
    if (woken.isEmpty()) {
      woken = new ArrayList<>(1);
    }
    woken.add(record.via);
  }

  boolean isEmpty() {
    return queue.claims().isEmpty();
  }

  long lastToken() {
    return queue.lastToken();
  }

  /**
   * @return true if a floor has raised the tokens of this lock above the clock
   */
  boolean isRaised() {
    return raised;
  }

  private void noteFloor(Claim claim) {
    if (claim.floor() > queue.lastToken()) { // rare, and reading the wall clock takes time
      raised |= claim.floor() > micros();
    }
  }

  /** Plans the next expiry, if a claim waits or lingers: holders return by themselves. */
  void scheduleSweep(Consumer<MemoryLockStore> task) {
    sweep.close();
    sweep = Registration.NONE;
    long next = Long.MAX_VALUE;
    boolean quiet = true;
    MemoryLockStore by = caller;
    List<Record> claims = queue.claims();
    for (int i = claims.size() - 1; i >= 0; i--) {
      Record record = claims.get(i);
      next = Math.min(next, record.expires() - now);
      quiet &= record.isGranted() && record.isLive();
      if (!record.isGranted()) { // by the timer of a waiter: that of a lingerer may be closed
        by = record.via;
      }
    }
    if (!quiet) {
      MemoryLockStore sweeper = by;
      sweep = by.ticker().schedule(Duration.ofNanos(next), () -> task.accept(sweeper));
    }
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public long micros() {
    return caller.ticker().wallMicros();
  }

  /** The wall clock counts once: what the space has given out since then is known to it. */
  @Override
  public long microsForTokens(long lastToken) {
    return lastToken == 0 ? micros() : 0;
  }

  @Override
  public long lifetime(Duration duration) {
    return duration.toNanos();
  }

  @Override
  public Duration since(long then) {
    return Duration.ofNanos(now - then);
  }

  @Override
  public Duration until(long then) {
    return Duration.ofNanos(then - now);
  }

  /** A claim, and the store whose client made it. */
  private final class Record extends ClaimRecord {
    // Mutable state: a client may change its store
    private MemoryLockStore via;

    Record(Claim claim) {
      super(claim);
      via = caller;
    }

    @Override
    protected void update(Claim claim) {
      super.update(claim);
      via = caller;
    }
  }
}
