package dev.holdfast.consul;

import com.google.gson.JsonParser;
import dev.holdfast.consul.Transport.Answer;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells waiters when their turn may have come.
 *
 * <p>Who needs the whole capacity waits until all ahead have gone, so it asks for the last of them
 * only. Others may fit as soon as anyone ahead leaves or takes less: they ask for the queue and
 * reckon, so that they are woken only when it is worth it. Nobody can come in ahead.
 *
 * <p>Each asks by a blocking query, which takes a connection for itself. So many run at a time; if
 * there are more waiters they take turns, and those whose turn it is not are told late.
 */
final class Hints {

  private static final int AT_ONCE = 32;
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration REST = Duration.ofMillis(500);

  private final Keys keys;
  private final Members members;
  private final Transport transport;
  private final Observers observers;
  private final Ticker ticker;
  private final Slots slots = new Slots(AT_ONCE);
  private final ConcurrentHashMap<String, Hint> hints = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean closed;

  Hints(Keys keys, Members members, Transport transport, Observers observers, Ticker ticker) {
    this.keys = keys;
    this.members = members;
    this.transport = transport;
    this.observers = observers;
    this.ticker = ticker;
  }

  void watch(Claim claim, Queue queue, int index) {
    List<Entry> ahead = queue.entries().subList(0, index);
    Hint hint = new Hint(claim, ahead);
    Hint[] before = {null};
    hints.compute(
        hint.key,
        (key, known) -> {
          before[0] = known;
          return known != null && known.path.equals(hint.path) ? known : hint;
        });
    if (hints.get(hint.key) == hint) {
      if (before[0] != null) {
        before[0].end();
      }
      slots.run(hint::ask);
    }
  }

  void drop(String key) {
    Hint hint = hints.remove(key);
    if (hint != null) {
      hint.end();
    }
  }

  void close() {
    closed = true;
    hints.keySet().forEach(this::drop);
  }

  private final class Hint {
    private final String key;
    private final String lock;
    private final String path;
    private final long room;
    private final Set<String> ahead = new HashSet<>();

    // Mutable state: one query at a time
    private volatile long index;
    private volatile @Nullable CompletableFuture<Answer> query;

    Hint(Claim claim, List<Entry> ahead) {
      key = keys.claim(claim);
      lock = claim.lock();
      room = (long) claim.capacity() - claim.weight();
      boolean needsAll = room == 0;
      String last = ahead.get(ahead.size() - 1).key();
      path =
          needsAll
              ? Keys.path(last) + "?consistent"
              : Keys.path(keys.queue(lock)) + "?consistent&recurse";
      for (Entry entry : ahead) {
        if (!needsAll || entry.key().equals(last)) {
          this.ahead.add(entry.key());
          index = Math.max(index, entry.stored().modified());
        }
      }
    }

    CompletableFuture<Answer> ask() {
      if (closed || hints.get(key) != this) {
        return CompletableFuture.failedFuture(new IllegalStateException("nobody waits any more"));
      }
      int member = members.current();
      String wait = "&index=" + index + "&wait=" + WAIT.toSeconds() + "s";
      CompletableFuture<Answer> asked =
          transport.send(
              members.address(member), "GET", path + wait, "", WAIT.plus(WAIT).plus(GRACE));
      query = asked;
      if (hints.get(key) != this) { // dropped meanwhile
        asked.cancel(true);
      }
      var unused =
          asked.whenComplete(
              (answer, failure) -> {
                if (failure == null && (answer.status() == 200 || answer.status() == 404)) {
                  answered(answer);
                } else if (!asked.isCancelled()) {
                  interrupted();
                }
              });
      return asked;
    }

    void end() {
      CompletableFuture<Answer> asked = query;
      if (asked != null) {
        asked.cancel(true);
      }
    }

    private void interrupted() {
      observers.wake(lock); // something may have happened unseen
      var unused = ticker.schedule(REST, () -> slots.run(this::ask));
    }

    private void answered(Answer answer) {
      // An index that went back is one of a restored snapshot: what it was compared with is void.
      index = answer.index() < index ? 0 : answer.index();
      if (isTurn(answer)) {
        hints.remove(key, this); // the next answer to the waiter makes another, if need be
        observers.wake(lock);
      } else {
        slots.run(this::ask);
      }
    }

    private boolean isTurn(Answer answer) {
      if (answer.status() == 404) {
        return true;
      }
      long sum = 0;
      for (Stored stored : Stored.listOf(JsonParser.parseString(answer.body()))) {
        if (ahead.contains(stored.key())) {
          sum += Entry.of(stored).weight();
        }
      }
      return Admission.fits(sum, 0, (int) room);
    }
  }
}
