package dev.holdfast.jdbc;

import dev.holdfast.Registration;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whose turn has come: one query for all claims of this client that are due, and only
 * while some wait. A claim that waits only for expired ones is let in on the way.
 *
 * <p>The next in line is looked after 25 ms after it came and then every 10 ms, each one behind it
 * 25 ms later and 20 ms less often. Sooner, the first look would come too soon for most, and later,
 * whoever holds the lock only briefly would be waited for longer than he holds it. If all of them
 * were looked after once a second, a queue of short holders would move on only about as fast as
 * that. But the longer nobody has been let in, the less often anybody is looked after, down to once
 * a second: so nobody waits an eighth longer than it must, and many who wait for long cost little.
 * The next in line is looked after in any case when the first of those ahead expires, of which
 * nobody tells. Where the database tells whoever is let in, the next in line looks once a second,
 * the others every five.
 *
 * <p>If a first look found that the claim had been let in, the next one is spared: the client is
 * told to ask at once, which it would have to do next anyway.
 *
 * <p>Safe for any threads. At most one poll runs at a time; the guard is never held while it does.
 */
final class Poller implements AutoCloseable {

  static final Duration FIRST = Duration.ofMillis(25);
  static final Duration FAST = Duration.ofMillis(10);
  static final Duration SLOW = Duration.ofSeconds(1);

  private static final Duration FAR_BEHIND = Duration.ofSeconds(5);
  private static final Duration STEP = Duration.ofMillis(20);
  private static final int SHARE = 8;

  private static final System.Logger LOG = System.getLogger(Poller.class.getName());

  private final Ticker ticker;
  private final SqlExecutor executor;
  private final QueueReader reader;
  private final SlowPath slow;
  private final Observers observers;
  private final BooleanSupplier pushed;
  private final ReentrantLock guard = new ReentrantLock();

  // Mutable state, guarded
  private final Waiters waiters = new Waiters();
  private Registration timer = Registration.NONE;
  private @Nullable Long timerDue;
  private boolean polling;
  private boolean closed;
  private boolean firstLookWasRight; // the last one to be looked after had been let in by then

  /**
   * A poller with nothing to do.
   *
   * @param pushed whether whoever is let in is told; then polling is for safety only
   */
  Poller(
      Ticker ticker,
      SqlExecutor executor,
      QueueReader reader,
      SlowPath slow,
      Observers observers,
      BooleanSupplier pushed) {
    this.pushed = pushed;
    this.ticker = ticker;
    this.executor = executor;
    this.reader = reader;
    this.slow = slow;
    this.observers = observers;
  }

  /**
   * The claim waits from now on, if it did not already.
   *
   * @param position how many are ahead of it
   */
  void waits(Claim claim, int position) {
    boolean alone = claim.capacity() == 1;
    long soon = alone ? Math.max(1, position) * FIRST.toNanos() : FAST.toNanos();
    boolean told = pushed.getAsBoolean();
    long first = told ? SLOW.toNanos() : Math.min(soon, SLOW.toNanos());
    guard.lock();
    try {
      long due = ticker.nanoTime() + first;
      Waiters.Waiter asked = waiters.find(claim.id());
      if (asked != null && asked.fresh && asked.hinted) {
        firstLook(asked, false);
      }
      if (!closed && waiters.add(claim, due, alone && position == 1 && !told)) {
        schedule(due);
      }
    } finally {
      guard.unlock();
    }
  }

  /** The claim waits no more: its client knows that it was let in, or that it has ended. */
  void ended(Claim claim) {
    guard.lock();
    try {
      Waiters.Waiter asked = waiters.find(claim.id());
      if (asked != null && asked.fresh && asked.hinted) {
        firstLook(asked, true);
      }
      waiters.remove(claim.id());
    } finally {
      guard.unlock();
    }
  }

  /** Looks after all that wait as soon as it can: something may have been missed. */
  void lookAtAll() {
    guard.lock();
    try {
      long now = ticker.nanoTime();
      waiters.allDue(now);
      if (!closed && waiters.nextDue() != null) {
        schedule(now);
      }
    } finally {
      guard.unlock();
    }
  }

  /** This client let in these claims, perhaps some of its own. */
  void promoted(String lock, List<String> letIn) {
    boolean ours;
    guard.lock();
    try {
      ours = letIn.stream().anyMatch(id -> waiters.find(id) != null);
    } finally {
      guard.unlock();
    }
    if (ours) {
      heard(lock);
    }
  }

  /** A claim of this client has been let in. */
  void heard(String lock) {
    guard.lock();
    try {
      waiters.hint(lock);
    } finally {
      guard.unlock();
    }
    observers.wake(lock);
  }

  /** Whether the claim may have been let in, as far as is known here. */
  boolean mayHold(Claim claim) {
    guard.lock();
    try {
      Waiters.Waiter waiter = waiters.find(claim.id());
      return waiter == null || waiter.hinted;
    } finally {
      guard.unlock();
    }
  }

  @Override
  public void close() {
    guard.lock();
    try {
      closed = true;
      waiters.clear();
      timer.close();
    } finally {
      guard.unlock();
    }
  }

  private void forget(String claimId) {
    guard.lock();
    try {
      waiters.remove(claimId);
    } finally {
      guard.unlock();
    }
  }

  private void schedule(long due) {
    Long set = timerDue;
    if (polling || (set != null && set - due <= 0)) {
      return;
    }
    timer.close();
    timerDue = due;
    long delay = Math.max(0, due - ticker.nanoTime());
    timer = ticker.schedule(Duration.ofNanos(delay), this::poll);
  }

  private void poll() {
    List<String> likely = new ArrayList<>(0);
    Map<String, List<Waiters.Waiter>> due = start(likely);
    likely.forEach(observers::wake);
    if (due == null) {
      return;
    }
    executor
        .submit(
            "poll",
            "",
            session -> {
              look(session, due);
              return true;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.log(Level.DEBUG, "Polling again soon", failure);
              }
              pollAgain();
            });
  }

  private void pollAgain() {
    guard.lock();
    try {
      polling = false;
      scheduleNext();
    } finally {
      guard.unlock();
    }
  }

  private void scheduleNext() {
    Long due = waiters.nextDue();
    if (due != null && !closed) {
      schedule(due);
    }
  }

  private void look(Session session, Map<String, List<Waiters.Waiter>> due) throws SQLException {
    Map<String, StoredQueue> queues = reader.snapshot(session, List.copyOf(due.keySet()));
    for (Map.Entry<String, List<Waiters.Waiter>> of : due.entrySet()) {
      String lock = of.getKey();
      StoredQueue stored = queues.get(lock);
      if (stored == null) {
        of.getValue().forEach(waiter -> forget(waiter.id));
        observers.wake(lock);
      } else if (stored.refusal() == null) {
        look(session, stored.queue(), of.getValue());
      }
    }
  }

  private void look(Session session, LockQueue queue, List<Waiters.Waiter> ofThisLock)
      throws SQLException {
    queue.settle(); // in memory only: tells whether it is worth a transaction
    if (!queue.promoted.isEmpty()) {
      slow.settle(session, queue.name); // wakes whoever it lets in
    }
    if (judge(queue, ofThisLock)) {
      observers.wake(queue.name);
    }
  }

  /**
   * Starts a poll of those that are due; until more is known of them, they are due again in a
   * while. Null if none is due, or a poll is under way, which will see to it that another follows.
   *
   * @param likely gets the locks to be asked for without a poll
   */
  private @Nullable Map<String, List<Waiters.Waiter>> start(List<String> likely) {
    guard.lock();
    try {
      timerDue = null;
      if (polling || closed) {
        return null;
      }
      long now = ticker.nanoTime();
      Map<String, List<Waiters.Waiter>> due = waiters.due(now, NameList.MAX);
      due.values().removeIf(list -> hintIfLikely(list, now, likely));
      if (due.isEmpty()) {
        scheduleNext();
        return null;
      }
      polling = true;
      for (List<Waiters.Waiter> list : due.values()) {
        list.forEach(waiter -> waiter.due = now + jittered(SLOW.toNanos()));
      }
      return due;
    } finally {
      guard.unlock();
    }
  }

  /**
   * Hints at a claim that has probably been let in, so that its client asks at once: a poll that
   * finds it so would be one request more. If it has not, it is looked after in the usual way.
   */
  private boolean hintIfLikely(List<Waiters.Waiter> list, long now, List<String> likely) {
    Waiters.Waiter first = list.get(0);
    if (!firstLookWasRight || list.size() > 1 || !first.fresh || first.hinted) {
      return false;
    }
    first.hinted = true;
    first.due = now + STEP.toNanos();
    likely.add(first.lock);
    return true;
  }

  private void firstLook(Waiters.Waiter waiter, boolean letIn) {
    waiter.fresh = false;
    firstLookWasRight = letIn;
  }

  /** Whether the lock's turn has come for one of these, or one of these has ended. */
  private boolean judge(LockQueue queue, List<Waiters.Waiter> ofThisLock) {
    boolean wake = false;
    guard.lock();
    try {
      for (Waiters.Waiter waiter : ofThisLock) {
        Entry entry = queue.find(waiter.id);
        if (waiter.fresh) {
          firstLook(waiter, entry != null && entry.isGranted());
        }
        if (entry == null) {
          waiters.remove(waiter.id);
          wake = true;
        } else if (entry.isGranted()) {
          waiter.hinted = true;
          wake = true;
        } else {
          waiter.due = ticker.nanoTime() + interval(queue, entry);
        }
      }
    } finally {
      guard.unlock();
    }
    return wake;
  }

  private long interval(LockQueue queue, Entry waiting) {
    int waitingAhead = queue.waitingAhead(waiting);
    Duration behindPush = waitingAhead == 0 ? SLOW : FAR_BEHIND;
    long usual =
        pushed.getAsBoolean()
            ? jittered(behindPush.toNanos())
            : intervalIfPolled(queue, waitingAhead);
    return waitingAhead == 0
        ? Math.min(usual, Math.max(FAST.toNanos(), queue.firstExpiry().toNanos()))
        : usual;
  }

  private static long intervalIfPolled(LockQueue queue, int waitingAhead) {
    long share = queue.sinceLastGrant().toNanos() / SHARE;
    long near = waitingAhead == 0 ? FAST.toNanos() : STEP.toNanos() * (waitingAhead + 1);
    long nanos = Math.min(Math.max(near, share), SLOW.toNanos());
    return waitingAhead == 0 ? nanos : jittered(nanos);
  }

  // Half of it up to all of it, so that many clients do not come at the same moment.
  private static long jittered(long nanos) {
    return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2);
  }
}
