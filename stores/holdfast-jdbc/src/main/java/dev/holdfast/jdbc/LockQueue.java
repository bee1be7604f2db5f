package dev.holdfast.jdbc;

import dev.holdfast.Kind;
import dev.holdfast.Mode;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock as read in one transaction: the model as code, without SQL. Where an entry
 * is stored makes no difference here, so the head in the lock row behaves like any other claim.
 *
 * <p>Not thread-safe: it lives for one transaction.
 */
final class LockQueue {

  final String name;
  final List<Entry> entries = new ArrayList<>();
  final List<Entry> tombstones = new ArrayList<>();
  final List<Entry> removed = new ArrayList<>();
  final List<Entry> promoted = new ArrayList<>();

  private final DbClock clock;
  private final OwnerCodec owners;

  // Mutable state
  private @Nullable Entry nextBefore;
  private boolean lingered;
  Kind kind = Kind.MUTEX;
  int capacity = 1;
  long lastToken;

  LockQueue(String name, DbClock clock, OwnerCodec owners) {
    this.name = name;
    this.clock = clock;
    this.owners = owners;
  }

  DbClock clock() {
    return clock;
  }

  /** Removes the expired and promotes whoever fits then: the start of every step. */
  void settle() {
    nextBefore = next();
    removeExpired(entries);
    removeExpired(tombstones);
    promote();
  }

  JoinAnswer join(Claim claim, boolean wait) {
    note(claim);
    if (find(tombstones, claim.id()) != null) {
      return new Busy(null);
    }
    Entry known = find(claim.id());
    if (known != null) {
      return known.isLive() ? rearm(known, claim) : new Busy(null);
    }
    if (entries.isEmpty()) {
      kind = claim.kind();
      capacity = claim.capacity();
    } else if (kind != claim.kind() || capacity != claim.capacity()) {
      return new Mismatch(kind, capacity);
    }
    if (Admission.fits(totalWeight(), claim.weight(), capacity)) {
      Entry entry = enter(claim, claim.ttl());
      grant(entry);
      return new Granted(entry.token, reserve(claim));
    }
    if (!wait) {
      return new Busy(entries.get(0).readOwner());
    }
    enter(claim, claim.waitingTtl());
    return new Queued(entries.size() - 1);
  }

  Standing refresh(Claim claim) {
    Entry entry = find(claim.id());
    if (entry == null || !entry.isLive()) {
      return Gone.GONE;
    }
    note(claim);
    return (Standing) rearm(entry, claim);
  }

  Left leave(Departure departure) {
    Claim claim = departure.claim();
    if (departure.tombstone()) {
      bury(claim);
    }
    Entry entry = find(claim.id());
    if (entry == null || !entry.isLive()) {
      return Left.GONE;
    }
    if (entry.isGranted() && !departure.linger().isZero()) {
      entry.state = Entry.State.LINGERING;
      lingered = true;
      entry.arm(clock.now(), clock.lifetime(departure.linger()));
    } else {
      remove(entry);
    }
    promote();
    return Left.LEFT;
  }

  /**
   * Ends the granted claims that the token names, or all of them.
   *
   * @return whether there were any
   */
  boolean evict(long token) {
    List<Entry> named = entries.stream().filter(entry -> isNamed(entry, token)).toList();
    named.forEach(this::remove);
    promote();
    return !named.isEmpty();
  }

  @Nullable Entry find(String claimId) {
    return find(entries, claimId);
  }

  /**
   * The next in line, if it waits for a claim that lingers. That ends by itself, and nobody tells:
   * the next in line has to look then.
   */
  @Nullable Entry nextBehindLinger() {
    boolean lingers = entries.stream().anyMatch(entry -> entry.state == Entry.State.LINGERING);
    return lingers ? next() : null;
  }

  /**
   * The same, if it does not know of that yet: the linger is new, or it was not the next before.
   */
  @Nullable Entry newlyBehindLinger() {
    Entry next = nextBehindLinger();
    return lingered || next != nextBefore ? next : null;
  }

  private @Nullable Entry next() {
    for (Entry entry : entries) {
      if (!entry.isGranted()) {
        return entry;
      }
    }
    return null;
  }

  /** How many of those that wait are ahead of this one; 0 for the next in line. */
  int waitingAhead(Entry waiting) {
    int ahead = 0;
    for (Entry entry : entries) {
      if (entry == waiting) {
        break;
      }
      if (!entry.isGranted()) {
        ahead++;
      }
    }
    return ahead;
  }

  /** How long it surely takes until the first entry expires. */
  Duration firstExpiry() {
    long first = Long.MAX_VALUE;
    for (Entry entry : entries) {
      first = Math.min(first, entry.expires);
    }
    return clock.until(first);
  }

  /** How long ago the last of those that hold the lock was let in. */
  Duration sinceLastGrant() {
    long last = 0;
    for (Entry entry : entries) {
      if (entry.isGranted()) {
        last = Math.max(last, entry.since);
      }
    }
    return clock.since(last);
  }

  private boolean isNamed(Entry entry, long token) {
    if (!entry.isGranted()) {
      return false;
    }
    return token == LockStore.ANY_TOKEN
        || token == entry.token
        || (kind.mode(entry.weight) == Mode.EXCLUSIVE && token > entry.token && token <= lastToken);
  }

  private static @Nullable Entry find(List<Entry> list, String claimId) {
    for (Entry entry : list) {
      if (entry.id.equals(claimId)) {
        return entry;
      }
    }
    return null;
  }

  private void removeExpired(List<Entry> list) {
    long now = clock.now();
    for (Entry entry : List.copyOf(list)) {
      if (entry.expires <= now) {
        list.remove(entry);
        removed.add(entry);
      } else if (entry.expires > now + entry.ttl) {
        // The clock was set back. Whoever is alive has at most its ttl left; a dead one must not
        // stay for as long as the clock went back.
        entry.arm(now, entry.ttl);
      }
    }
  }

  private Entry enter(Claim claim, Duration ttl) {
    Entry entry =
        new Entry(
            claim.id(), clock.now(), claim.weight(), owners.encode(claim.owner()), claim.value());
    entry.floor = claim.floor();
    entry.channel = owners.channel();
    entry.arm(clock.now(), clock.lifetime(ttl));
    entries.add(entry);
    return entry;
  }

  private JoinAnswer rearm(Entry entry, Claim claim) {
    entry.update(claim, owners.encode(claim.owner()));
    entry.channel = owners.channel();
    if (!entry.isGranted()) {
      promote(); // a lower weight may fit
    }
    if (!entry.isGranted()) {
      entry.arm(clock.now(), clock.lifetime(claim.waitingTtl()));
      return new Queued(entries.indexOf(entry));
    }
    entry.arm(clock.now(), clock.lifetime(claim.ttl()));
    Granted answer = new Granted(entry.token, reserve(claim));
    promote(); // a lower weight may make room
    return answer;
  }

  private void bury(Claim claim) {
    Entry tombstone = find(tombstones, claim.id());
    if (tombstone == null) {
      tombstone = new Entry(claim.id(), clock.now(), 0, owners.encode(claim.owner()), null);
      tombstone.state = Entry.State.TOMBSTONE;
      tombstones.add(tombstone);
    }
    tombstone.arm(clock.now(), clock.lifetime(claim.ttl()));
  }

  private void remove(Entry entry) {
    entries.remove(entry);
    removed.add(entry);
  }

  /** Grants whoever fits now, in queue order. The ttl is left alone: the refresh re-arms it. */
  private void promote() {
    long ahead = 0;
    for (Entry entry : entries) {
      if (!Admission.fits(ahead, entry.weight, capacity)) {
        return;
      }
      ahead += entry.weight;
      if (!entry.isGranted()) {
        grant(entry);
        promoted.add(entry);
      }
    }
  }

  private void grant(Entry entry) {
    entry.token = Tokens.next(name, lastToken, clock.now(), entry.floor);
    entry.since = clock.now();
    entry.changed = true;
    lastToken = entry.token;
  }

  private void note(Claim claim) {
    lastToken = Tokens.noted(lastToken, clock.now(), claim.floor());
  }

  private Tokens reserve(Claim claim) {
    if (claim.spares() == 0) {
      return Tokens.NONE;
    }
    Tokens spares = Tokens.reserve(name, lastToken, claim.floor(), claim.spares());
    lastToken = spares.last();
    return spares;
  }

  private long totalWeight() {
    long sum = 0;
    for (Entry entry : entries) {
      sum += entry.weight;
    }
    return sum;
  }
}
