package dev.holdfast.jdbc.poll;

import dev.holdfast.Registration;
import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.queue.ClaimRow;
import dev.holdfast.jdbc.queue.LoadedQueue;
import dev.holdfast.jdbc.queue.QueueReader;
import dev.holdfast.jdbc.queue.SlowPath;
import dev.holdfast.jdbc.sql.NameList;
import dev.holdfast.jdbc.sql.StoreConnection;
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
 * Finds granted claims: one query for all claims of this client that are due, only while some wait.
 * A claim that waits only for expired ones is granted on the way.
 *
 * <p>If the last first look found its claim granted, the next one is omitted: the client is asked
 * to refresh at once, which would be its next step anyway. Where a refresh is one request, granted
 * or not, it replaces the first look after a claim, and two more while it is next, unless others
 * are due as well, for which one poll is cheaper. There is a limit to this: most grants come by
 * then, and claims that wait for long are to be polled together.
 *
 * <p>Thread-safe. At most one poll runs at a time; the guard is never held while it does.
 */
public final class Poller implements AutoCloseable {

  /** How many looks after a claim may be replaced by a refresh of its client. */
  public static final int ASKS = 3;

  private static final System.Logger LOG = System.getLogger(Poller.class.getName());

  private final Ticker ticker;
  private final SqlExecutor executor;
  private final QueueReader reader;
  private final SlowPath slow;
  private final Observers observers;
  private final BooleanSupplier pushed;
  private final ReentrantLock guard = new ReentrantLock();

  // Mutable state
  private volatile boolean used; // a claim has waited: a client that never waits takes no lock

  // Mutable state, guarded
  private final ClaimRegistry waiters = new ClaimRegistry();
  private Registration timer = Registration.NONE;
  private @Nullable Long timerDue;
  private boolean polling;
  private boolean closed;
  private boolean firstLookWasRight; // the last first look found its claim granted

  /**
   * A poller with nothing to do.
   *
   * @param pushed whether clients are notified of grants; then polling is for safety only
   */
  public Poller(
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
   * Registers a waiting claim, if it is not registered.
   *
   * @param position how many claims are ahead of it
   * @param renewedInOne whether a refresh of it is one request, as a poll is
   */
  public void waits(Claim claim, int position, boolean renewedInOne) {
    boolean told = pushed.getAsBoolean();
    long first = PollInterval.first(claim, position, told);
    used = true;
    guard.lock();
    try {
      long now = ticker.nanoTime();
      ClaimRegistry.Waiter known = waiters.find(claim.id());
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
   * Notes that a claim of this client is next behind a lingering one, whose end no notification
   * announces.
   *
   * @param claimId of a waiting claim, or one whose join has not been answered yet
   * @param left the time for which nothing can change
   */
  public void behindLinger(String claimId, Duration left) {
    guard.lock();
    try {
      if (!closed) {
        long due = ticker.nanoTime() + Math.max(PollInterval.FAST.toNanos(), left.toNanos());
        waiters.dueBy(claimId, due);
        schedule(due);
      }
    } finally {
      guard.unlock();
    }
  }

  /** Removes a claim: its client knows that it was granted, or that it has ended. */
  public void ended(Claim claim) {
    if (!used) {
      return;
    }
    guard.lock();
    try {
      ClaimRegistry.Waiter known = waiters.find(claim.id());
      if (known != null && known.awaitsFirstLook()) {
        firstLook(known, true);
      }
      waiters.remove(claim.id());
    } finally {
      guard.unlock();
    }
  }

  /** Looks after all waiting claims as soon as possible: something may have been missed. */
  public void lookAtAll() {
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

  /** Wakes waiting claims of this client that it has granted itself. */
  public void promoted(String lock, List<String> granted) {
    boolean ours;
    guard.lock();
    try {
      ours = granted.stream().anyMatch(id -> waiters.find(id) != null);
    } finally {
      guard.unlock();
    }
    if (ours) {
      heard(lock);
    }
  }

  /** Wakes the observers of a lock of which a claim of this client was granted. */
  public void heard(String lock) {
    guard.lock();
    try {
      waiters.hint(lock);
    } finally {
      guard.unlock();
    }
    observers.wake(lock);
  }

  /** Returns whether the claim may have been granted, as far as is known here. */
  public boolean mayHold(Claim claim) {
    guard.lock();
    try {
      ClaimRegistry.Waiter waiter = waiters.find(claim.id());
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

  /** Its client has refreshed it. */
  private void stillWaits(ClaimRegistry.Waiter known, int position, long now) {
    if (known.awaitsFirstLook()) {
      firstLook(known, false);
    }
    if (known.asked) {
      known.asked = false;
      known.near = position == 1;
      known.due = now + PollInterval.next(position);
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
    Map<String, List<ClaimRegistry.Waiter>> due = start(likely);
    likely.forEach(observers::wake);
    if (due == null) {
      return;
    }
    executor
        .submit(
            "poll",
            "",
            connection -> {
              look(connection, due);
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

  private void look(StoreConnection connection, Map<String, List<ClaimRegistry.Waiter>> due)
      throws SQLException {
    Map<String, LoadedQueue> queues = reader.snapshot(connection, List.copyOf(due.keySet()));
    for (Map.Entry<String, List<ClaimRegistry.Waiter>> of : due.entrySet()) {
      String lock = of.getKey();
      LoadedQueue stored = queues.get(lock);
      if (stored == null) {
        of.getValue().forEach(waiter -> forget(waiter.id));
        observers.wake(lock);
      } else if (stored.refusal() == null) {
        look(connection, stored, of.getValue());
      }
    }
  }

  private void look(
      StoreConnection connection, LoadedQueue loaded, List<ClaimRegistry.Waiter> ofThisLock)
      throws SQLException {
    loaded.settle(); // in memory only: shows whether it is worth a transaction
    if (!loaded.queue().promoted().isEmpty()) {
      slow.promote(connection, loaded.lock()); // wakes the clients of the claims that it grants
    }
    if (judge(loaded, ofThisLock)) {
      observers.wake(loaded.lock());
    }
  }

  /**
   * Starts a poll of the claims that are due; until more is known, they are due again in a while.
   * Returns null if none is due, or a poll is under way, after which another follows.
   *
   * @param likely receives the locks to be refreshed without a poll
   */
  private @Nullable Map<String, List<ClaimRegistry.Waiter>> start(List<String> likely) {
    guard.lock();
    try {
      timerDue = null;
      if (polling || closed) {
        return null;
      }
      long now = ticker.nanoTime();
      Map<String, List<ClaimRegistry.Waiter>> due = waiters.due(now, NameList.MAX);
      boolean single = due.size() == 1 && !waiters.isAnyAsked();
      due.values().removeIf(list -> hinted(list, single, now, likely));
      if (due.isEmpty()) {
        scheduleNext();
        return null;
      }
      polling = true;
      for (List<ClaimRegistry.Waiter> list : due.values()) {
        for (ClaimRegistry.Waiter waiter : list) {
          waiter.due = now + PollInterval.jittered(PollInterval.SLOW);
          waiter.asked = false; // the poll replaces its refresh
        }
      }
      return due;
    } finally {
      guard.unlock();
    }
  }

  /**
   * Asks a client to refresh at once: for a claim that has probably been granted, where a poll
   * would be one request more; and for the only claim that is due, if a refresh costs no more than
   * the poll. As with polls, no other follows before the answer: claims that become due meanwhile
   * are polled together. A claim that still waits is then looked after as usual.
   */
  private boolean hinted(
      List<ClaimRegistry.Waiter> list, boolean single, long now, List<String> likely) {
    ClaimRegistry.Waiter first = list.get(0);
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
    first.due = now + PollInterval.STEP.toNanos();
    likely.add(first.lock);
    return true;
  }

  private void firstLook(ClaimRegistry.Waiter waiter, boolean granted) {
    waiter.fresh = false;
    firstLookWasRight = granted;
  }

  /** Returns whether one of these claims was granted or has ended. */
  private boolean judge(LoadedQueue loaded, List<ClaimRegistry.Waiter> ofThisLock) {
    boolean wake = false;
    guard.lock();
    try {
      for (ClaimRegistry.Waiter waiter : ofThisLock) {
        ClaimRow row = loaded.queue().find(waiter.id);
        if (waiter.fresh) {
          firstLook(waiter, row != null && row.isGranted());
        }
        if (row == null) {
          waiters.remove(waiter.id);
          wake = true;
        } else if (row.isGranted()) {
          waiter.hinted = true;
          wake = true;
        } else {
          waiter.near = loaded.waitingAhead(row) == 0;
          waiter.due = ticker.nanoTime() + PollInterval.next(loaded, row, pushed.getAsBoolean());
        }
      }
    } finally {
      guard.unlock();
    }
    return wake;
  }
}
