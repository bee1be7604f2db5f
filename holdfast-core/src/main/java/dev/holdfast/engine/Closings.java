package dev.holdfast.engine;

import dev.holdfast.engine.state.Tenure;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** What must stop before a client gives its locks back. Thread-safe. */
public final class Closings {

  private final Engine engine;
  private final Set<Closing> open = ConcurrentHashMap.newKeySet();

  Closings(Engine engine) {
    this.engine = engine;
  }

  /**
   * Remembers what the end of the client is to end first.
   *
   * @throws IllegalStateException if the client is closed
   */
  public void add(Closing closing) {
    engine.checkOpen();
    open.add(closing);
    if (engine.isClosed()) {
      end(List.of(closing));
    }
  }

  /** Forgets what has ended. */
  public void remove(Closing closing) {
    open.remove(closing);
  }

  /** Ends all of them at the same time; waits for that, for a bounded time. */
  public void end(Collection<? extends Closing> closings) {
    List<Closing> all = List.copyOf(closings);
    CompletableFuture<?>[] ends =
        all.stream().map(Closing::end).toArray(CompletableFuture<?>[]::new);
    CompletableFuture<Void> ended = CompletableFuture.allOf(ends);
    Duration half = engine.context.operationTimeout.dividedBy(2);
    Waits.quietly(ended, half);
    if (!ended.isDone()) { // the executor may be waiting here itself
      all.forEach(closing -> engine.ownThreads().execute(closing::hurry));
      Waits.quietly(ended, half);
    }
  }

  /**
   * Ends everything.
   *
   * @return the claims of those that have not stopped by now: they stay until that, or their ttl
   */
  Set<Tenure> endAll() {
    end(open);
    Set<Tenure> kept = new HashSet<>();
    for (Closing closing : open) {
      EngineLease held = closing.held();
      if (held != null) {
        kept.add(held.hold.tenure);
      }
    }
    return kept;
  }
}
