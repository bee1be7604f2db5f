package dev.holdfast.consul;

import com.google.gson.JsonParser;
import dev.holdfast.consul.Queries.Query;
import dev.holdfast.consul.Transport.Answer;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Observers;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells waiters when their turn may have come.
 *
 * <p>Who needs the whole capacity waits until all ahead have gone, so it asks for the last of them
 * only. Others may fit as soon as anyone ahead leaves or takes less: they ask for the queue and
 * reckon, so that they are woken only when it is worth it. Nobody can come in ahead.
 *
 * <p>Tells holders when their own key is gone, as many as there are {@link #HELD places}; from a
 * while after the grant, because most have left by then.
 */
final class Hints {

  /** How many waiters are told at once; more of them take turns, and are told late. */
  static final int WAITING = 32;

  /** How many holders are told. */
  static final int HELD = 16;

  /** How long a lock is held before its holder is one of them. */
  static final Duration WHILE = Duration.ofSeconds(1);

  private final Keys keys;
  private final Observers observers;
  private final Queries forWaiters;
  private final Queries forHolders;
  private final ConcurrentHashMap<String, Hint> waiters = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Hint> holders = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean closed;

  /** Asks by these queries. */
  Hints(Keys keys, Observers observers, Queries forWaiters, Queries forHolders) {
    this.keys = keys;
    this.observers = observers;
    this.forWaiters = forWaiters;
    this.forHolders = forHolders;
  }

  /** From now on for this waiter. */
  void await(Claim claim, Queue queue, int index) {
    List<Entry> ahead = queue.entries().subList(0, index);
    int room = claim.capacity() - claim.weight();
    String path =
        room == 0
            ? Keys.path(ahead.get(index - 1).key()) + "?consistent"
            : Keys.path(keys.queue(claim.lock())) + "?consistent&recurse";
    List<Entry> asked = room == 0 ? ahead.subList(index - 1, index) : ahead;
    start(new Hint(claim, path, asked, room, false));
  }

  /**
   * For this holder, if there is a place and it does not leave soon. It keeps its place until then,
   * and others get one at a later renewal.
   */
  void guard(Claim claim, Entry entry) {
    drop(waiters, entry.key());
    if (holders.size() < HELD) {
      String path = Keys.path(entry.key()) + "?consistent";
      start(new Hint(claim, path, List.of(entry), 0, true));
    }
  }

  /** Not for this claim any more. */
  void drop(String key) {
    drop(waiters, key);
    drop(holders, key);
  }

  void close() {
    closed = true;
    waiters.keySet().forEach(this::drop);
    holders.keySet().forEach(this::drop);
  }

  private void start(Hint hint) {
    Hint[] before = {null};
    Hint now =
        hint.place.compute(
            hint.key,
            (key, known) -> {
              before[0] = known;
              return known != null && known.path.equals(hint.path) ? known : hint;
            });
    if (now == hint) {
      if (before[0] != null) {
        before[0].query.end();
      }
      if (hint.held) {
        hint.query.startIn(WHILE);
      } else {
        hint.query.start();
      }
    }
    if (closed) {
      drop(hint.key);
    }
  }

  private static void drop(ConcurrentHashMap<String, Hint> hints, String key) {
    Hint hint = hints.remove(key);
    if (hint != null) {
      hint.query.end();
    }
  }

  /** One claim that is to be told. */
  private final class Hint {
    private final String key;
    private final String lock;
    private final String path;
    private final int room;
    private final boolean held;
    private final Set<String> asked = new HashSet<>();
    private final ConcurrentHashMap<String, Hint> place;
    private final Query query;

    Hint(Claim claim, String path, List<Entry> entries, int room, boolean held) {
      this.key = keys.claim(claim);
      this.lock = claim.lock();
      this.path = path;
      this.room = room;
      this.held = held;
      this.place = held ? holders : waiters;
      long index = 0;
      for (Entry entry : entries) {
        asked.add(entry.key());
        index = Math.max(index, entry.stored().modified());
      }
      // A holder's next renewal comes soon enough; a waiter may have missed its turn.
      query =
          held
              ? forHolders.of(path, index, this::isOver, () -> {})
              : forWaiters.of(path, index, this::isOver, () -> observers.wake(lock));
    }

    private boolean isOver(Answer answer) {
      boolean over = answer.status() == 404 || isTurn(answer);
      if (over) {
        place.remove(key, this); // the next answer to the claim makes another, if need be
        observers.wake(lock);
      }
      return over;
    }

    private boolean isTurn(Answer answer) {
      long sum = 0;
      for (Stored stored : Stored.listOf(JsonParser.parseString(answer.body()))) {
        if (asked.contains(stored.key())) {
          sum += Entry.of(stored).weight();
        }
      }
      return Admission.fits(sum, 0, room);
    }
  }
}
