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
 * Reports the leader to one observer. It asks, reports, and only then asks again: calls never
 * overlap, and there is never more than one request or timer.
 */
final class LeaderWatch implements Registration {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private enum Report {
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
  private volatile Report reported = Report.NOTHING;
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
      } else if (failure instanceof StoreException silence && tells(Report.SILENCE)) {
        observer.storeSilent(silence);
      }
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "An observer of an election failed", e);
    }
    engine.ticker().schedule(INTERVAL, this::look);
  }

  private void seen(@Nullable Leader leader) {
    if (leader == null) {
      if (tells(Report.NOBODY)) {
        observer.nobodyLeads();
      }
    } else if (isNews(leader)) {
      last = leader;
      reported = Report.LEADER;
      observer.leads(leader);
    }
  }

  /** {@return true if this differs from the last report, and so is reported now} */
  private boolean tells(Report what) {
    boolean news = reported != what;
    reported = what;
    return news;
  }

  /** A store that answers from the past is not believed. */
  private boolean isNews(Leader leader) {
    Leader before = last;
    return before == null
        || leader.token() > before.token()
        || (leader.token() == before.token()
            && (reported != Report.LEADER || !leader.value().equals(before.value())));
  }

  private boolean isOver() {
    return closed || engine.isClosed();
  }

  @Override
  public void close() {
    closed = true;
  }
}
