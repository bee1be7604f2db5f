package dev.holdfast.testkit.broken;

import dev.holdfast.Consistency;
import dev.holdfast.LockInfo;
import dev.holdfast.Traits;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The model written down as plainly as possible, with each promise in a separate method, so that a
 * subclass can break that one and nothing else. Unbroken it passes the whole contract.
 */
class Sketch {

  static final Traits TRAITS =
      Traits.builder()
          .fair()
          .pushes()
          .tellsHolders()
          .ttl(Duration.ofMillis(1), Duration.ofDays(3650))
          .allKinds()
          .lingers()
          .detachable()
          .floors(Tokens.MAX_FLOOR)
          .consistency(Consistency.LINEARIZABLE)
          .build();

  final ManualTicker ticker = new ManualTicker();

  // Mutable state, guarded by this
  final Map<String, List<SketchEntry>> queues = new TreeMap<>();
  final Map<String, Long> lastTokens = new HashMap<>();
  final Map<String, Long> tombstones = new HashMap<>();
  final List<SketchEntry> woken = new ArrayList<>();

  Traits traits() {
    return TRAITS;
  }

  /** One step at a time; afterwards the claims whose turn has come are woken. */
  final <T> T step(Supplier<T> act) {
    List<SketchEntry> due;
    T answer;
    synchronized (this) {
      answer = act.get();
      due = List.copyOf(woken);
      woken.clear();
    }
    due.forEach(entry -> entry.via.wake(entry.claim.lock()));
    return answer;
  }

  JoinAnswer join(Claim claim, boolean wait, SketchStore via) {
    List<SketchEntry> queue = begin(claim.lock());
    SketchEntry known = find(queue, claim);
    note(claim);
    if (known != null) {
      return known.left ? new Busy(null) : repeatedJoin(queue, known, claim);
    }
    if (isBuried(claim)) {
      return new Busy(null);
    }
    if (!queue.isEmpty() && mismatches(queue.get(0).claim, claim)) {
      return new Mismatch(queue.get(0).claim.kind(), queue.get(0).claim.capacity());
    }
    SketchEntry entry = new SketchEntry(claim, via, ticker.nanoTime());
    arm(entry, claim.waitingTtl());
    queue.add(place(queue), entry);
    promote(queue);
    if (!entry.isGranted() && !wait && !mayTryQueue(queue, entry)) {
      queue.remove(entry);
      return new Busy(queue.get(0).claim.owner());
    }
    if (isBehindKeepable(queue, entry)) {
      notifyHolder(queue.get(0));
    }
    if (entry.isGranted()) {
      arm(entry, claim.ttl());
    }
    return answer(queue, entry, claim);
  }

  Map<Claim, Standing> refresh(Collection<Claim> claims) {
    Map<Claim, Standing> answers = new LinkedHashMap<>();
    for (Claim claim : claims) {
      answers.put(claim, refresh(claim));
    }
    return answers;
  }

  Standing refresh(Claim claim) {
    List<SketchEntry> queue = begin(claim.lock());
    SketchEntry entry = find(queue, claim);
    if (entry == null || entry.left) {
      return ended(queue, claim);
    }
    return (Standing) rearmed(queue, entry, claim);
  }

  Map<Claim, Left> leave(Collection<Departure> departures) {
    Map<Claim, Left> answers = new LinkedHashMap<>();
    departures.forEach(departure -> answers.put(departure.claim(), leave(departure)));
    return answers;
  }

  Left leave(Departure departure) {
    Claim claim = departure.claim();
    List<SketchEntry> queue = begin(claim.lock());
    if (departure.tombstone()) {
      tombstones.put(claim.id(), ticker.nanoTime() + claim.ttl().toNanos());
    }
    SketchEntry entry = toEnd(queue, claim);
    if (entry == null || entry.left) {
      return Left.GONE;
    }
    if (entry.isGranted() && !departure.linger().isZero()) {
      entry.left = true;
      arm(entry, departure.linger());
    } else {
      queue.remove(entry);
    }
    afterLeave(queue, entry);
    return Left.LEFT;
  }

  boolean evict(String lock, long token) {
    List<SketchEntry> queue = begin(lock);
    long last = lastTokens.getOrDefault(lock, 0L);
    List<SketchEntry> ended =
        queue.stream().filter(entry -> entry.isGranted() && entry.isNamedBy(token, last)).toList();
    queue.removeAll(ended);
    ended.forEach(this::wakeEnded);
    promote(queue);
    return !ended.isEmpty();
  }

  LockInfo inspect(String lock) {
    List<SketchEntry> queue = begin(lock);
    if (queue.isEmpty()) {
      return LockInfo.free(lock);
    }
    Claim first = queue.get(0).claim;
    long now = ticker.nanoTime();
    long last = lastTokenTold(lock);
    return new LockInfo(
        first.lock(),
        first.kind(),
        first.capacity(),
        queue.stream().filter(SketchEntry::isGranted).map(entry -> entry.info(now, last)).toList(),
        queue.stream()
            .filter(entry -> !entry.isGranted())
            .map(entry -> entry.info(now, last))
            .toList());
  }

  long lastTokenTold(String lock) {
    return lastToken(lock);
  }

  final long lastToken(String lock) {
    return lastTokens.getOrDefault(key(lock), 0L);
  }

  List<LockInfo> list(String prefix, int limit) {
    return List.copyOf(queues.keySet()).stream()
        .filter(name -> listed(name, prefix))
        .map(this::inspect)
        .filter(info -> info.isHeld() || !info.waiters().isEmpty())
        .limit(limit)
        .toList();
  }

  /** As the store does after a while: forgets unused locks. */
  synchronized void purge() {
    queues.values().removeIf(List::isEmpty);
  }

  // From here on: one promise each.

  String key(String lock) {
    return lock;
  }

  boolean isExpired(SketchEntry entry) {
    return entry.until - ticker.nanoTime() <= 0;
  }

  boolean isSame(String id, String other) {
    return id.equals(other);
  }

  boolean isBuried(Claim claim) {
    Long until = tombstones.get(claim.id());
    return until != null && until - ticker.nanoTime() > 0;
  }

  boolean mismatches(Claim first, Claim claim) {
    return first.kind() != claim.kind() || first.capacity() != claim.capacity();
  }

  int place(List<SketchEntry> queue) {
    return queue.size();
  }

  boolean fits(long ahead, Claim claim) {
    return Admission.fits(ahead, claim.weight(), claim.capacity());
  }

  long nextToken(Claim claim) {
    long last = lastToken(claim.lock());
    return Tokens.next(claim.lock(), last, ticker.wallMicros(), claim.floor());
  }

  void note(Claim claim) {
    long noted = Tokens.noted(lastToken(claim.lock()), ticker.wallMicros(), claim.floor());
    lastTokens.put(key(claim.lock()), noted);
  }

  Tokens reserve(Claim claim) {
    long last = lastToken(claim.lock());
    if (claim.spares() == 0 || last > lastSpare()) {
      return Tokens.NONE;
    }
    Tokens spares = new Tokens(last + 1, claim.spares());
    lastTokens.put(key(claim.lock()), spares.last());
    return spares;
  }

  JoinAnswer repeatedJoin(List<SketchEntry> queue, SketchEntry entry, Claim claim) {
    return rearmed(queue, entry, claim);
  }

  void takeOver(SketchEntry entry, Claim claim) {
    entry.claim = claim.weighing(Math.min(claim.weight(), entry.claim.weight()));
  }

  void arm(SketchEntry entry, Duration ttl) {
    entry.until = ticker.nanoTime() + ttl.toNanos();
    ticker.schedule(ttl, () -> sweep(entry.claim.lock()));
  }

  boolean isKeepable(SketchEntry entry) {
    return traits().tellsHolders() && entry.isGranted() && !entry.left && entry.claim.keepable();
  }

  boolean isBehindKeepable(List<SketchEntry> queue, SketchEntry entry) {
    return queue.indexOf(entry) == 1 && isKeepable(queue.get(0));
  }

  boolean mayTryQueue(List<SketchEntry> queue, SketchEntry entry) {
    return isBehindKeepable(queue, entry);
  }

  void notifyHolder(SketchEntry keepable) {
    woken.add(keepable);
  }

  boolean isWanted(List<SketchEntry> queue) {
    return !queue.get(queue.size() - 1).isGranted();
  }

  void heard(SketchEntry wanted) {
    wanted.claim = wanted.claim.keepable(false);
  }

  long lastSpare() {
    return ticker.wallMicros() + Tokens.AHEAD_MICROS;
  }

  Standing ended(List<SketchEntry> queue, Claim claim) {
    return Gone.GONE;
  }

  SketchEntry toEnd(List<SketchEntry> queue, Claim claim) {
    return find(queue, claim);
  }

  void afterLeave(List<SketchEntry> queue, SketchEntry left) {
    promote(queue);
  }

  void wake(SketchEntry granted) {
    woken.add(granted);
  }

  void wakeEnded(SketchEntry evicted) {
    woken.add(evicted);
  }

  boolean listed(String name, String prefix) {
    return name.startsWith(prefix);
  }

  // From here on: the mechanics.

  void promote(List<SketchEntry> queue) {
    long ahead = 0;
    for (SketchEntry entry : List.copyOf(queue)) {
      if (!entry.isGranted() && !fits(ahead, entry.claim)) {
        return;
      }
      ahead += entry.claim.weight();
      if (!entry.isGranted()) {
        entry.token = nextToken(entry.claim);
        lastTokens.merge(key(entry.claim.lock()), entry.token, Math::max);
        wake(entry);
      }
    }
  }

  List<SketchEntry> begin(String lock) {
    List<SketchEntry> queue = queues.computeIfAbsent(key(lock), name -> new ArrayList<>());
    if (queue.removeIf(this::isExpired)) {
      promote(queue);
    }
    return queue;
  }

  final SketchEntry find(List<SketchEntry> queue, Claim claim) {
    for (SketchEntry entry : queue) {
      if (isSame(entry.claim.id(), claim.id())) {
        return entry;
      }
    }
    return null;
  }

  private void sweep(String lock) {
    step(() -> begin(lock));
  }

  private JoinAnswer rearmed(List<SketchEntry> queue, SketchEntry entry, Claim claim) {
    boolean asked = entry.claim.keepable() || claim.keepable();
    note(claim);
    takeOver(entry, claim);
    promote(queue);
    arm(entry, entry.isGranted() ? claim.ttl() : claim.waitingTtl());
    boolean wanted = asked && entry.isGranted() && isWanted(queue);
    if (wanted) {
      heard(entry);
    }
    return wanted ? new Granted(entry.token, reserve(claim), true) : answer(queue, entry, claim);
  }

  private JoinAnswer answer(List<SketchEntry> queue, SketchEntry entry, Claim claim) {
    return entry.isGranted()
        ? new Granted(entry.token, reserve(claim))
        : new Queued(queue.indexOf(entry), isBehindKeepable(queue, entry));
  }
}
