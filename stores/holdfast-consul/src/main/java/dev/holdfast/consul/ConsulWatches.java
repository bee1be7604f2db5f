package dev.holdfast.consul;

import dev.holdfast.consul.Sessions.Session;
import dev.holdfast.leased.KeyWatches;
import dev.holdfast.leased.LeaseClasses;
import dev.holdfast.spi.Ticker;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Watches by blocking queries: one for each waiting claim, for some of the keys of holders, and for
 * each session, whose end takes all keys on it. Holders without one find out by their next renewal.
 * Thread-safe.
 */
final class ConsulWatches implements KeyWatches {

  /** How many waiting claims have a query at a time; more of them take turns, and are late. */
  static final int WAITING = 32;

  /** How many keys of holders have a query. */
  static final int HELD = 16;

  /** How many queues with a keepable claim have a query. */
  static final int KEEPABLE = 16;

  /** How many sessions have a query at a time; more of them take turns. */
  static final int SESSIONS = 4;

  private final KeyPaths paths;
  private final LeaseClasses<Session> leases;
  private final BlockingQueries waiting;
  private final BlockingQueries held;
  private final BlockingQueries keepable;
  private final BlockingQueries sessionEnds;
  private final ConcurrentHashMap<Listener, Target> holders = new ConcurrentHashMap<>();

  ConsulWatches(Sessions sessions, HttpTransport transport, Ticker ticker) {
    paths = sessions.paths;
    leases = sessions.classes;
    waiting = new BlockingQueries(transport, ticker, WAITING);
    held = new BlockingQueries(transport, ticker, HELD);
    keepable = new BlockingQueries(transport, ticker, KEEPABLE);
    sessionEnds = new BlockingQueries(transport, ticker, SESSIONS);
  }

  @Override
  public void add(Listener listener, Target target, long revision) {
    start(waiting, listener, target, revision);
  }

  private void start(BlockingQueries queries, Listener listener, Target target, long revision) {
    String path =
        target.key() == null
            ? KeyPaths.path(paths.queue(target.lock())) + "?consistent&recurse"
            : KeyPaths.path(target.key()) + "?consistent";
    queries.start(
        listener,
        path,
        revision - 1,
        answer ->
            listener.found(
                answer.status() == 404 ? List.of() : Transaction.Result.keys(answer.body())),
        listener::interrupted);
  }

  /** A query goes on from its last answer. */
  @Override
  public void reached(Listener listener, long revision) {}

  @Override
  public void remove(Listener listener) {
    waiting.end(listener);
  }

  @Override
  public KeyWatches ofHolders() {
    return new Holders();
  }

  private final class Holders implements KeyWatches {

    @Override
    public void add(Listener listener, Target target, long revision) {
      if (target.key() != null) {
        holders.put(listener, target);
        reached(listener, revision);
      } else if (keepable.size() < KEEPABLE) {
        start(keepable, listener, target, revision);
      } else {
        listener.refused(); // there may be room at its next renewal
      }
    }

    /** Called at each renewal: there may be room by now, or another session. */
    @Override
    public void reached(Listener listener, long revision) {
      Target target = holders.get(listener);
      if (target != null && held.size() < HELD) {
        start(held, listener, target, revision);
      }
      leases.current().forEach(ConsulWatches.this::watch);
    }

    @Override
    public void remove(Listener listener) {
      holders.remove(listener);
      held.end(listener);
      keepable.end(listener);
    }
  }

  private void watch(Session session) {
    sessionEnds.start(
        session.seconds(),
        "/v1/session/info/" + session.id() + "?consistent",
        0,
        answer -> {
          boolean ended = !answer.body().contains(session.id());
          // One that is not renewed any more has no claims to lose.
          if (ended && !session.mayHaveEnded()) {
            List.copyOf(holders.keySet()).forEach(Listener::missed);
          }
          return ended;
        },
        () -> {});
  }

  void close() {
    waiting.close();
    held.close();
    keepable.close();
    sessionEnds.close();
  }
}
