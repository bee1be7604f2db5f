package dev.holdfast.engine;

import dev.holdfast.Leader;
import dev.holdfast.LeaderObserver;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells one observer who leads. It looks, tells, and only then looks again: so nothing is told
 * twice at a time, and there is never more than one question or timer.
 */
final class LeaderWatch implements Registration {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private enum Told {
    NOTHING,
    LEADER,
    NOBODY,
    SILENCE
  }

  private final Engine engine;
  private final String name;
  private final LeaderObserver observer;

  // Mutable state: touched by one look after the other, but for closed
  private volatile @Nullable Leader last;
  private volatile Told told = Told.NOTHING;
  private volatile boolean closed;

  LeaderWatch(Engine engine, String name, LeaderObserver observer) {
    this.engine = engine;
    this.name = name;
    this.observer = observer;
  }

  void look() {
    if (!closed && !engine.isClosed()) {
      Context context = engine.context();
      context
          .answers()
          .ask(
              () -> context.store().inspect(name),
              context.operationTimeout(),
              (info, failure) -> context.alarms().execute(() -> seen(info, failure)));
    }
  }

  private void seen(@Nullable LockInfo info, @Nullable Throwable failure) {
    if (closed || engine.isClosed()) {
      return;
    }
    if (info == null) {
      tell(
          Told.SILENCE,
          () ->
              observer.storeSilent(engine.context().noAnswer("the inspection of", name, failure)));
    } else {
      Optional<Leader> leader = EngineElection.leader(info);
      if (leader.isEmpty()) {
        tell(Told.NOBODY, observer::nobodyLeads);
      } else if (isNews(leader.get())) {
        last = leader.get();
        told = Told.NOTHING; // another one
        tell(Told.LEADER, () -> observer.leads(leader.get()));
      }
    }
    engine.context().ticker().schedule(INTERVAL, this::look);
  }

  /** A store that answers from the past is not believed. */
  private boolean isNews(Leader leader) {
    Leader before = last;
    return before == null
        || leader.token() > before.token()
        || (leader.token() == before.token()
            && (told != Told.LEADER || !leader.value().equals(before.value())));
  }

  private void tell(Told what, Runnable call) {
    if (told == what) {
      return;
    }
    told = what;
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "An observer of an election failed", e);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
