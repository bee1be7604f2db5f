package dev.holdfast.engine;

import dev.holdfast.Leader;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells one observer who leads. It looks, tells, and only then looks again: so nothing is told
 * twice at a time, and there is never more than one question or timer.
 */
final class LeaderWatch implements Registration {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final Engine engine;
  private final String name;
  private final Consumer<Leader> observer;

  // Mutable state: touched by one look after the other, but for closed
  private volatile @Nullable Leader last;
  private volatile boolean closed;

  LeaderWatch(Engine engine, String name, Consumer<Leader> observer) {
    this.engine = engine;
    this.name = name;
    this.observer = observer;
  }

  void look() {
    if (!closed && !engine.isClosed()) {
      engine
          .answers()
          .ask(
              () -> engine.store().inspect(name),
              engine.operationTimeout(),
              (info, failure) -> engine.alarms().execute(() -> seen(info)));
    }
  }

  private void seen(@Nullable LockInfo info) {
    if (info != null) {
      EngineElection.leader(info).filter(this::isNews).ifPresent(this::tell);
    }
    engine.ticker().schedule(INTERVAL, this::look);
  }

  /** A store that answers from the past is not believed. */
  private boolean isNews(Leader leader) {
    Leader before = last;
    return before == null
        || leader.token() > before.token()
        || (leader.token() == before.token() && !leader.value().equals(before.value()));
  }

  private void tell(Leader leader) {
    last = leader;
    if (closed) {
      return;
    }
    try {
      observer.accept(leader);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "An observer of an election failed", e);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
