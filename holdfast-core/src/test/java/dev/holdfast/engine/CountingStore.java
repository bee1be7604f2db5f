package dev.holdfast.engine;

import static java.util.Objects.requireNonNull;

import dev.holdfast.Registration;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Remembers what the engine asked of the store. */
final class CountingStore extends ForwardingStore {

  final List<Claim> joins = Collections.synchronizedList(new ArrayList<>());
  final List<Collection<Claim>> refreshes = Collections.synchronizedList(new ArrayList<>());
  final List<Departure> departures = Collections.synchronizedList(new ArrayList<>());
  final AtomicInteger leaves = new AtomicInteger();
  final AtomicInteger observers = new AtomicInteger();
  final AtomicInteger closes = new AtomicInteger();
  private final Map<String, Runnable> wakes = new ConcurrentHashMap<>();

  CountingStore(LockStore inner) {
    super(inner);
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    joins.add(claim);
    return super.join(claim, wait, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    refreshes.add(List.copyOf(claims));
    return super.refresh(claims, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(Collection<Departure> leaving, Deadline deadline) {
    leaves.incrementAndGet();
    departures.addAll(leaving);
    return super.leave(leaving, deadline);
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    wakes.put(lock, wake);
    Registration registration = super.observe(lock, wake);
    observers.incrementAndGet();
    AtomicBoolean open = new AtomicBoolean(true);
    return () -> {
      if (open.compareAndSet(true, false)) {
        observers.decrementAndGet();
      }
      registration.close();
    };
  }

  @Override
  public void close() {
    closes.incrementAndGet();
    super.close();
  }

  /** Hints to the latest observer of this lock. */
  void hint(String lock) {
    requireNonNull(wakes.get(lock)).run();
  }

  /** How many times the store was asked to change something. */
  int calls() {
    return joins.size() + refreshes.size() + leaves.get();
  }
}
