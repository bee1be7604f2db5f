package dev.holdfast.consul;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/*
 * A claim enters before its client knows whether it may stay, and if it may not, its client takes it
 * out again, one round trip later. Until then it keeps out those behind it, who may fit without it;
 * and if its client dies just then, for as long as the session lives. So whoever is behind it takes
 * it out, on the condition that it is still kept out itself. Its client will find that it is not
 * there any more, and answers what it would have answered anyway, or enters again.
 *
 * One that waits and has not yet been moved to the short session of those who wait is not to lose
 * its place: only when it has been seen like that for as long as a waiter may live without renewal.
 */

/** Takes claims out of queues that cannot stay there, in place of their clients. Any threads. */
final class Strays {

  private static final long PATIENCE = Claim.MAX_WAITING_TTL.toNanos();

  private final Calls calls;
  private final Keys keys;
  private final Ticker ticker;
  private final ConcurrentHashMap<String, Sighting> arriving = new ConcurrentHashMap<>();

  Strays(Calls calls, Keys keys, Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.ticker = ticker;
  }

  /** When this was first seen, and what its modify index was. */
  private record Sighting(long modified, long first) {}

  /**
   * Takes out those ahead of a claim that cannot stay.
   *
   * @return the queue after that; the same as before if there was nobody, or it did not work
   */
  CompletableFuture<Queue> clear(String lock, Queue queue, int index, Deadline deadline) {
    List<Entry> strays = queue.strays(index);
    Queue others = queue.without(strays);
    overdue(others, index - strays.size()).ifPresent(strays::add);
    Txn txn = removal(strays, others);
    if (txn.size() == 0) {
      return CompletableFuture.completedFuture(queue);
    }
    return calls
        .txn("join", lock, txn.read(keys.queue(lock)), deadline)
        .thenApply(done -> done.tookEffect() ? Queue.of(done.found()) : queue);
  }

  // As many as one transaction can hold: the others are left to themselves, or to the next look.
  private static Txn removal(List<Entry> strays, Queue others) {
    Txn txn = new Txn();
    Set<Entry> checked = new HashSet<>();
    for (Entry stray : strays) {
      List<Entry> blockers = new ArrayList<>(others.blockers(stray));
      blockers.removeAll(checked);
      if (txn.size() + blockers.size() + 2 < Txn.MOST) {
        blockers.forEach(txn::checkUnchanged);
        checked.addAll(blockers);
        txn.checkUnchanged(stray).delete(stray.key());
      }
    }
    return txn;
  }

  // One at a time: the next is kept out by this one, perhaps.
  private Optional<Entry> overdue(Queue queue, int index) {
    long now = ticker.nanoTime();
    arriving.values().removeIf(sighting -> now - sighting.first > 10 * PATIENCE);
    return queue.entries().subList(Math.min(queue.admitted(), index), index).stream()
        .filter(Entry::isArriving)
        .filter(entry -> now - seen(entry, now).first >= PATIENCE)
        .findFirst();
  }

  private Sighting seen(Entry entry, long now) {
    long modified = entry.stored().modified();
    return arriving.compute(
        entry.key(),
        (key, known) ->
            known != null && known.modified == modified ? known : new Sighting(modified, now));
  }
}
