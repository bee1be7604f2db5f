package dev.holdfast.etcd;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/*
 * etcd refuses requests once it lags behind by 5,000 of them, whoever has sent them. So a client
 * sends no more than some at a time, and others wait here, first come, first served; but renewals
 * go before all that is not one: however many want to join, nobody is to lose what it holds.
 *
 * Whoever enters or leaves lets in those who fit. If somebody is just doing that, it is told to
 * look again instead: one that fails at once and leaves must not let in the next from within, or
 * thousands in a row would overflow the stack.
 */

/** Lets so many be under way at a time. Any threads. */
final class Turnstile {

  private final Semaphore free;
  private final Queue<Runnable> urgent = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger looks = new AtomicInteger();

  Turnstile(int places) {
    free = new Semaphore(places);
  }

  /**
   * Runs this now or when it is its turn; it is under way until {@link #leave}.
   *
   * @param first whether it goes before those who came without this
   * @param start never throws
   */
  void enter(boolean first, Runnable start) {
    (first ? urgent : waiting).add(start);
    look();
  }

  void leave() {
    free.release();
    look();
  }

  private void look() {
    if (looks.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    while (seen > 0) {
      letIn();
      seen = looks.addAndGet(-seen);
    }
  }

  private void letIn() {
    while (isAnyoneWaiting() && free.tryAcquire()) {
      Runnable first = urgent.poll();
      (first == null ? waiting.remove() : first).run(); // nobody else removes: one looks at a time
    }
  }

  private boolean isAnyoneWaiting() {
    return !urgent.isEmpty() || !waiting.isEmpty();
  }
}
