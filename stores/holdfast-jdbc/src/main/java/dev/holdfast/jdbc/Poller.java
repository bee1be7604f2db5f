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
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whose turn has come: one query for all claims of this client that are due, and only
 * while some wait. A claim that waits only for expired ones is let in on the way.
 *
 * <p>If a first look found that the claim had been let in, the next one is spared: the client is
 * told to ask at once, which it would have to do next anyway. Where asking is one request, whether
 * the turn has come or not, it takes the place of the first look after a claim, and of two more
 * while it is the next in line, unless others are due as well, for whom one poll is cheaper. Only
 * of so many: most turns have come by then, and those who wait for long are to be polled together.
 *
 * <p>Safe for any threads. At most one poll runs at a time; the guard is never held while it does.
 */
final class Poller implements AutoCloseable {

  /** How many looks after a claim may be left to its client. */
  static final int ASKS = 3;

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
   * @param renewedInOne whether asking how it stands is one request, as a poll is
   */
  void waits(Claim claim, int position, boolean renewedInOne) {
    boolean told = pushed.getAsBoolean();
    long first = Pace.first(claim, position, told);
    guard.lock();
    try {
      long now = ticker.nanoTime();
      Waiters.Waiter known = waiters.find(claim.id());
      if (known != null) {
        stillWaits(known, position, now);
      }
      boolean next = claim.capacity() == 1 && position == 1 && !told;
      if (!closed && waiters.add(claim, now + first, next, renewedInOne ? ASKS : 0)) {
        schedule(now + first);
      }
    } finally {
      guard.unlock();
    }
  }

  /**
   * A claim of this client is next in line behind one that lingers, of whose end nobody tells.
   *
   * @param claimId of one that waits, or whose join has not been answered yet
   * @param left how long nothing surely changes
   */
  void behindLinger(String claimId, Duration left) {
    guard.lock();
    try {
      if (!closed) {
        long due = ticker.nanoTime() + Math.max(Pace.FAST.toNanos(), left.toNanos());
        waiters.dueBy(claimId, due);
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
      Waiters.Waiter known = waiters.find(claim.id());
      if (known != null && known.awaitsFirstLook()) {
        firstLook(known, true);
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

  /** Its client has asked. */
  private void stillWaits(Waiters.Waiter known, int position, long now) {
    if (known.awaitsFirstLook()) {
      firstLook(known, false);
    }
    if (known.asked) {
      known.asked = false;
      known.near = position == 1;
      known.due = now + Pace.next(position);
      schedule(known.due);
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
      boolean single = due.size() == 1 && !waiters.isAnyAsked();
      due.values().removeIf(list -> hinted(list, single, now, likely));
      if (due.isEmpty()) {
        scheduleNext();
        return null;
      }
      polling = true;
      for (List<Waiters.Waiter> list : due.values()) {
        for (Waiters.Waiter waiter : list) {
          waiter.due = now + Pace.jittered(Pace.SLOW);
          waiter.asked = false; // if its client did not get to it, it need not any more
        }
      }
      return due;
    } finally {
      guard.unlock();
    }
  }

  /**
   * Hints at a claim whose client is to ask at once: one that has probably been let in, for which a
   * poll that finds it so would be one request more; and the only one that is due, if asking costs
   * no more than the poll. As with polls, no other follows before that is answered: those who get
   * due meanwhile are polled together. If it still waits, it is looked after in the usual way.
   */
  private boolean hinted(List<Waiters.Waiter> list, boolean single, long now, List<String> likely) {
    Waiters.Waiter first = list.get(0);
    boolean probably = firstLookWasRight && first.fresh;
    if (list.size() > 1 || first.hinted || first.asked) {
      return false;
    }
    if (first.asksLeft > 0 && first.near && (single || probably)) {
      first.asksLeft--;
      first.asked = true;
    } else if (probably) {
      first.hinted = true;
    } else {
      return false;
    }
    first.due = now + Pace.STEP.toNanos();
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
          waiter.near = queue.waitingAhead(entry) == 0;
          waiter.due = ticker.nanoTime() + Pace.next(queue, entry, pushed.getAsBoolean());
        }
      }
    } finally {
      guard.unlock();
    }
    return wake;
  }
}
