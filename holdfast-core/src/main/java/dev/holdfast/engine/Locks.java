package dev.holdfast.engine;

import dev.holdfast.engine.state.LockState;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The locks that a client uses now, one shell each, and what they share. Thread-safe. */
final class Locks {

  private final Context context;
  private final LockState.Context shared;
  private final Renewals renewals;
  private final Leaves leaves;
  private final Leaks leaks;
  private final ConcurrentHashMap<String, LockShell> shells = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean closed;

  Locks(Context context, LockState.Context shared, Leaks leaks) {
    this.context = context;
    this.shared = shared;
    this.renewals = new Renewals(context);
    this.leaves = new Leaves(context);
    this.leaks = leaks;
  }

  Context context() {
    return context;
  }

  LockState.Context shared() {
    return shared;
  }

  Renewals renewals() {
    return renewals;
  }

  Leaves leaves() {
    return leaves;
  }

  Leaks leaks() {
    return leaks;
  }

  @Nullable LockShell find(String name) {
    return shells.get(name);
  }

  LockShell findOrMake(String name) {
    LockShell known = shells.get(name);
    if (known != null) {
      return known;
    }
    LockShell made = new LockShell(name, this);
    LockShell raced = shells.putIfAbsent(name, made);
    return raced != null ? raced : made;
  }

  /** Nothing is left of it. */
  void retire(LockShell shell) {
    shells.remove(shell.state.name(), shell);
  }

  /** How many names are in use; none once the last lease is closed. */
  int size() {
    return shells.size();
  }

  /**
   * From now on every shell refuses requests by itself: one that is made later finds this.
   *
   * @return those that there are
   */
  Collection<LockShell> close() {
    closed = true;
    return shells.values();
  }

  boolean isClosed() {
    return closed;
  }
}
