package dev.holdfast.leased.watch;

import dev.holdfast.leased.KeyWatches;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Members;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * The watch of one key's deletion stays at the server when its last listener goes: the next claim
 * that waits for the same key uses it again, so a hand-off costs no request to create a watch or to
 * cancel one. The last change is kept for a listener that comes after it but starts at an earlier
 * revision. A watch is cancelled when a change arrives and no listener is left, or with the stream,
 * which is replaced when too many watches are idle.
 *
 * The watch of a queue belongs to one listener and goes with it.
 */

/**
 * All watches of a client, on one stream. If the stream breaks, all listeners are notified and it
 * is opened again from the revisions where it broke. Thread-safe.
 */
public abstract class StreamWatches implements KeyWatches {

  /** An idle watch costs the server little, a new one from an old revision costs it much. */
  public static final int MAX_IDLE = 1_000;

  private static final Runnable NOTHING = () -> {};
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Members members;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private final Map<Listener, Watch> watches = new HashMap<>();
  private final Map<Target, Watch> shared = new HashMap<>();
  private @Nullable Answers current;
  private boolean closed;

  /** No stream is opened before it is needed. */
  protected StreamWatches(Members members, Ticker ticker) {
    this.members = members;
    this.ticker = ticker;
  }

  /** The requests on a stream. They come one after the other, and must not wait. */
  protected interface Requests {

    /** Creates a watch; the server numbers watches in the order of these requests. */
    void create(Target target, long revision);

    /** Ends the watch of this number. */
    void cancel(long number);

    /** Ends the stream. */
    void end();

    /**
     * A watch was refused.
     *
     * @return true if another stream may be permitted it: all watches wait until that is open
     */
    boolean logInAgain();
  }

  /** Opens a stream to this member; if that fails, its answers are {@link Answers#broken}. */
  protected abstract Requests open(int member, Answers answers);

  @Override
  public final void add(Listener listener, Target target, long revision) {
    change(
        () -> {
          Change missed = closed ? null : begin(listener, target, revision);
          return missed == null ? NOTHING : () -> missed.deliver(listener);
        });
  }

  private @Nullable Change begin(Listener listener, Target target, long revision) {
    Watch known = shared.get(target);
    if (known != null && known.covers(revision)) {
      watches.put(listener, known);
      return known.add(listener, revision);
    }
    if (known != null && known.isIdle()) {
      discard(known);
    }
    Watch watch = new Watch(target, revision);
    watch.add(listener, revision);
    watches.put(listener, watch);
    if (target.key() != null) {
      shared.put(target, watch);
    }
    if (current == null) {
      open();
    } else {
      current.create(watch);
    }
    return null;
  }

  @Override
  public final void reached(Listener listener, long revision) {
    change(
        () -> {
          Watch watch = watches.get(listener);
          if (watch != null) {
            watch.reached(listener, revision);
          }
        });
  }

  @Override
  public final void remove(Listener listener) {
    change(
        () -> {
          Watch watch = watches.remove(listener);
          if (watch == null) {
            return;
          }
          watch.remove(listener);
          if (isUnused(watch)) {
            discard(watch);
          } else if (current != null && shared.size() > MAX_IDLE + 2 * watches.size()) {
            current.requests.end();
            open();
          }
        });
  }

  /** No listener uses it, nor will another one. */
  private boolean isUnused(Watch watch) {
    return watch.isIdle() && shared.get(watch.target) != watch;
  }

  private void discard(Watch watch) {
    shared.remove(watch.target, watch);
    if (current != null && current.created.remove(watch.number) != null) {
      current.requests.cancel(watch.number);
    } // else it is cancelled once the server has numbered it
  }

  /** The member is not trusted any more: continues with the next. */
  public final void reopen() {
    change(
        () -> {
          if (closed || current == null) {
            return NOTHING;
          }
          current.requests.end();
          List<Listener> interrupted = List.copyOf(watches.keySet());
          open();
          return () -> interrupted.forEach(Listener::interrupted);
        });
  }

  /** Ends the stream; no listener receives anything from now on. */
  public final void close() {
    change(
        () -> {
          closed = true;
          watches.clear();
          shared.clear();
          if (current != null) {
            current.requests.end();
            current = null;
          }
        });
  }

  private void open() {
    current = null;
    shared.values().removeIf(Watch::isIdle);
    if (!closed && !watches.isEmpty()) {
      Answers opened = new Answers();
      current = opened;
      Set.copyOf(watches.values()).forEach(opened::create);
    }
  }

  /**
   * @return tells all listeners that their changes will be late
   */
  private Runnable openLater() {
    current = null;
    var unused =
        ticker.schedule(
            PAUSE,
            () ->
                change(
                    () -> {
                      if (current == null) {
                        open();
                      }
                    }));
    List<Listener> interrupted = List.copyOf(watches.keySet());
    return () -> interrupted.forEach(Listener::interrupted);
  }

  private void change(Runnable change) {
    mutex.lock();
    try {
      change.run();
    } finally {
      mutex.unlock();
    }
  }

  /** What the change returns runs after it, without the mutex: it calls listeners. */
  private void change(Supplier<Runnable> change) {
    Runnable report;
    mutex.lock();
    try {
      report = change.get();
    } finally {
      mutex.unlock();
    }
    report.run();
  }

  /** Receives what a stream answers. Thread-safe. */
  protected final class Answers {
    private final int member = members.current();
    private final Requests requests;

    // Mutable state, guarded by mutex
    private final Queue<Watch> creating = new ArrayDeque<>();
    private final Map<Long, Watch> created = new HashMap<>();

    private Answers() {
      requests = StreamWatches.this.open(member, this);
    }

    private void create(Watch watch) {
      creating.add(watch);
      requests.create(watch.target, watch.start());
    }

    /** The oldest watch that was requested has this number now. */
    public void created(long number) {
      ifCurrent(
          () -> {
            Watch watch = creating.remove();
            if (isUnused(watch)) { // removed before the server had created it
              requests.cancel(number);
            } else {
              watch.number = number;
              created.put(number, watch);
            }
            return NOTHING;
          });
    }

    /** The oldest watch that was requested is not permitted. */
    public void refused() {
      ifCurrent(
          () -> {
            Watch watch = creating.remove();
            if (isUnused(watch)) {
              return NOTHING;
            }
            if (requests.logInAgain()) {
              Runnable report = openLater();
              requests.end();
              return report;
            }
            List<Listener> refused = withdraw(watch);
            return () -> refused.forEach(Listener::refused);
          });
    }

    /** All changes of this watch before this revision have been reported. */
    public void reached(long number, long revision) {
      ifThere(
          number,
          watch -> {
            watch.reached(revision);
            return NOTHING;
          });
    }

    /** These changes, all there are of their revisions. */
    public void changed(long number, List<Change> changes) {
      ifThere(
          number,
          watch -> {
            if (watch.isIdle()) {
              discard(watch);
            }
            Map<Listener, List<Change>> undelivered = watch.undelivered(changes);
            return () ->
                undelivered.forEach(
                    (listener, some) -> some.forEach(change -> change.deliver(listener)));
          });
    }

    /** The server has ended this watch: it has forgotten the changes since then. */
    public void missed(long number) {
      ifThere(
          number,
          watch -> {
            created.remove(number);
            List<Listener> missed = withdraw(watch);
            return () -> missed.forEach(Listener::missed);
          });
    }

    /** The stream has broken. May be called from within a request. */
    public void broken(String why) {
      var unused =
          ticker.schedule(
              Duration.ZERO,
              () ->
                  ifCurrent(
                      () -> {
                        Runnable report = openLater();
                        return () -> {
                          report.run();
                          members.failed(member, why);
                        };
                      }));
    }

    /** The server will report nothing more about this watch; its listeners are removed. */
    private List<Listener> withdraw(Watch watch) {
      List<Listener> listeners = watch.clear();
      listeners.forEach(watches::remove);
      shared.remove(watch.target, watch);
      return listeners;
    }

    private void ifThere(long number, Function<Watch, Runnable> change) {
      ifCurrent(
          () -> {
            Watch watch = created.get(number);
            return watch == null ? NOTHING : change.apply(watch);
          });
    }

    /** Another stream may have been opened meanwhile. */
    private void ifCurrent(Supplier<Runnable> change) {
      change(() -> current == this ? change.get() : NOTHING);
    }
  }
}
