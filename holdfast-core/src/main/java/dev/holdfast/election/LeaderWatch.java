package dev.holdfast.election;

import dev.holdfast.Leader;
import dev.holdfast.LeaderObserver;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.engine.Engine;
import java.lang.System.Logger.Level;
import java.time.Duration;
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
    if (isOver()) {
      return;
    }
    var unused =
        engine
            .inspectAsync(name)
            .whenComplete(
                (info, failure) -> engine.alarms().execute(() -> answered(info, failure)));
  }

  private void answered(@Nullable LockInfo info, @Nullable Throwable failure) {
    if (isOver()) {
      return;
    }
    try {
      if (info != null) {
        seen(LeaderElection.leader(info).orElse(null));
      } else if (failure instanceof StoreException silence && tells(Told.SILENCE)) {
        observer.storeSilent(silence);
      }
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "An observer of an election failed", e);
    }
    engine.ticker().schedule(INTERVAL, this::look);
  }

  private void seen(@Nullable Leader leader) {
    if (leader == null) {
      if (tells(Told.NOBODY)) {
        observer.nobodyLeads();
      }
    } else if (isNews(leader)) {
      last = leader;
      told = Told.LEADER;
      observer.leads(leader);
    }
  }

  /** Whether this is news, which is told now. */
  private boolean tells(Told what) {
    boolean news = told != what;
    told = what;
    return news;
  }

  /** A store that answers from the past is not believed. */
  private boolean isNews(Leader leader) {
    Leader before = last;
    return before == null
        || leader.token() > before.token()
        || (leader.token() == before.token()
            && (told != Told.LEADER || !leader.value().equals(before.value())));
  }

  private boolean isOver() {
    return closed || engine.isClosed();
  }

  @Override
  public void close() {
    closed = true;
  }
}
