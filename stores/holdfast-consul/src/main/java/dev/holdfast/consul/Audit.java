package dev.holdfast.consul;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends claims that nobody speaks for any more. Their session cannot: it lives on for the sake of
 * the others. Any threads.
 */
final class Audit {

  private static final long EVERY = Duration.ofSeconds(1).toNanos();
  private static final int MOST = Txn.MOST / 2;

  private final Calls calls;
  private final Keys keys;
  private final Sessions sessions;
  private final Roll roll;
  private final Ticker ticker;
  private final AtomicLong next;

  Audit(Calls calls, Keys keys, Sessions sessions, Roll roll, Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.sessions = sessions;
    this.roll = roll;
    this.ticker = ticker;
    this.next = new AtomicLong(ticker.nanoTime() + EVERY);
  }

  /** Looks for them, if that was not done just now; to be called now and then. */
  void now() {
    long due = next.get();
    long now = ticker.nanoTime();
    if (now - due < 0 || !next.compareAndSet(due, now + EVERY)) {
      return;
    }
    List<String> forgotten = roll.forgotten(MOST);
    if (!forgotten.isEmpty()) {
      Deadline deadline = calls.deadline();
      Txn read = keys.reading();
      forgotten.forEach(read::read);
      var unused =
          calls
              .sureTxn("clean-up", "", read, deadline)
              .thenAccept(done -> end(forgotten, done.found(), deadline));
    }
  }

  // One that another process has taken over, by a handle, is on a session of that process. And one
  // that is spoken for again meanwhile is not forgotten any more.
  private void end(List<String> forgotten, List<Stored> found, Deadline deadline) {
    Txn end = new Txn();
    Set<String> others = new HashSet<>(forgotten);
    List<String> condemned = new ArrayList<>();
    for (Stored claim : found) {
      String key = claim.key();
      if (sessions.isOurs(claim.session()) && others.remove(key) && roll.condemn(key)) {
        condemned.add(key);
        end.checkSession(key, claim.session()).delete(key);
      }
    }
    others.forEach(roll::strikeForgotten);
    if (!condemned.isEmpty()) {
      var unused =
          calls
              .txn("clean-up", "", end, deadline)
              .thenAccept(
                  done -> {
                    if (done.tookEffect()) {
                      condemned.forEach(roll::strike);
                    }
                  });
    }
  }
}
