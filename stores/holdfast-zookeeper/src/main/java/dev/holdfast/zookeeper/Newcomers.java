package dev.holdfast.zookeeper;

import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The claims that were let in just now. Most locks are held so briefly that a watch on their node
 * would cost more than they did themselves: only who is still there after one or two moments gets
 * one.
 *
 * <p><b>Threads.</b> Safe for any.
 */
final class Newcomers {

  private static final Duration MOMENT = Duration.ofMillis(50);

  private final Ticker ticker;
  private final Consumer<Place> onStay;

  // Mutable state
  private final Queue<Newcomer> newcomers = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  private record Newcomer(Place place, long due) {}

  Newcomers(Ticker ticker, Consumer<Place> onStay) {
    this.ticker = ticker;
    this.onStay = onStay;
  }

  void add(Place place) {
    newcomers.add(new Newcomer(place, ticker.nanoTime() + MOMENT.toNanos()));
    schedule();
  }

  /** One look for all of a moment, not one for each: the ticker's thread has to wake for it. */
  private void schedule() {
    if (!newcomers.isEmpty() && scheduled.compareAndSet(false, true)) {
      ticker.schedule(MOMENT, this::look);
    }
  }

  private void look() {
    long now = ticker.nanoTime();
    for (Newcomer first = newcomers.peek();
        first != null && first.due - now <= 0;
        first = newcomers.peek()) {
      newcomers.remove(first);
      if (first.place.is(Place.State.THERE) && !first.place.watched) {
        onStay.accept(first.place);
      }
    }
    scheduled.set(false);
    schedule();
  }
}
