package dev.holdfast.register;

import dev.holdfast.Diagnosis;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Register;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.ExpiringMap;
import dev.holdfast.spi.support.PerClaim;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Locks in a {@link Register}: one record for each lock that is held, changed by compare-and-set.
 *
 * <p>Supports mutexes and elections. There is no queue, so waiters retry; there are no wake-ups and
 * no listing. Acquiring a free lock, renewing it and releasing it take one round trip each.
 *
 * <ol>
 *   <li><b>join</b> writes the record if there is none. On conflict it reads: if the claim is our
 *       own, its ttl restarts, otherwise the lock is busy.
 *   <li><b>refresh</b> writes at the version last seen. On conflict it reads, and tries again while
 *       the stored claim is ours. It never creates a record.
 *   <li><b>leave</b> deletes the record in the same way, or lets it linger.
 *   <li>The <b>token</b> is the version of the claim's first write; the second write stores it in
 *       the record. The client's floor is not needed: the versions of a key rise.
 * </ol>
 *
 * <p><b>Late joins.</b> A register has no place for tombstones, so they are kept here. If a join
 * with a tombstone succeeds after all, it is undone at once. If its answer never comes, the record
 * is looked for once more a little later. If the join arrives even later, the lock stays taken
 * until its ttl ends, though no client holds it.
 *
 * <p>Thread-safe.
 */
public final class RegisterLockStore implements LockStore {

  // Only its own client changes a claim, so each conflict but the first means a lost answer.
  private static final int ATTEMPTS = 8;

  // Most requests under way when their connection broke have arrived by then.
  private static final Duration LATE_ARRIVAL = Duration.ofSeconds(1);

  private final Register register;
  private final Traits traits;
  private final Ticker ticker;
  private final ExpiringMap<String, VersionedClaim> seen;
  private final ExpiringMap<String, Boolean> tombstones;

  /**
   * Makes a store of a register, which is closed with the store.
   *
   * @param traits {@link #baseTraits} and what the register adds: ttl, consistency, reach
   * @param ticker the clock of tombstones
   * @throws IllegalArgumentException if the traits claim what no register can do
   */
  public RegisterLockStore(Register register, Traits traits, Ticker ticker) {
    Traits base = baseTraits().build();
    if (traits.fair()
        || traits.pushes()
        || traits.lists()
        || !traits.kinds().equals(base.kinds())) {
      throw new IllegalArgumentException(
          "a register supports neither fairness nor wake-ups nor listing, and only the kinds "
              + base.kinds()
              + ": start from RegisterLockStore.baseTraits()");
    }
    this.register = register;
    this.traits = traits;
    this.ticker = ticker;
    this.seen = new ExpiringMap<>(ticker);
    this.tombstones = new ExpiringMap<>(ticker);
  }

  /**
   * @return the traits of locks in any register
   */
  public static Traits.Builder baseTraits() {
    return Traits.builder().lingers().detachable().cannotList();
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    if (!traits.kinds().contains(claim.kind())) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException(this + " does not support locks of kind " + claim.kind()));
    }
    if (hasTombstone(claim)) {
      return answer(new Busy(null));
    }
    return enter(claim, ATTEMPTS)
        .thenCompose(
            answer ->
                answer instanceof Granted && hasTombstone(claim)
                    ? leave(Departure.of(claim)).thenApply(left -> new Busy(null))
                    : answer(answer));
  }

  private CompletionStage<JoinAnswer> enter(Claim claim, int attempts) {
    int spares = Math.min(claim.spares(), Tokens.SPARES_OF_REVISION);
    ClaimRecord first = ClaimRecord.of(claim, spares);
    return register
        .compareAndSet(claim.lock(), Register.ABSENT, first.encode(), claim.ttl())
        .thenCompose(
            version -> {
              if (version.isEmpty()) {
                return conflict(claim, attempts);
              }
              VersionedClaim stored =
                  VersionedClaim.first(first, version.getAsLong(), ticker.nanoTime());
              seen.put(claim.id(), stored, claim.ttl());
              long token = stored.record().token();
              return answer(new Granted(token, Tokens.sparesOfRevision(token, 0, spares)));
            });
  }

  /** The lock is taken: reads by which claim. */
  private CompletionStage<JoinAnswer> conflict(Claim claim, int attempts) {
    return register
        .read(claim.lock())
        .thenCompose(
            entry -> {
              if (entry.isEmpty()) {
                return attempts > 1 ? enter(claim, attempts - 1) : answer(new Busy(null));
              }
              VersionedClaim stored = parse(claim.lock(), entry.get());
              ClaimRecord record = stored.record();
              if (!stored.isOf(claim)) {
                return answer(
                    record.kind() == claim.kind()
                        ? new Busy(record.owner())
                        : new Mismatch(record.kind(), 1));
              }
              if (record.left()) {
                return answer(new Busy(null));
              }
              return restartTtl(claim, stored)
                  .thenCompose(
                      granted ->
                          granted.isPresent()
                              ? answer(granted.get())
                              : retry(claim.lock(), attempts, left -> conflict(claim, left)));
            });
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return PerClaim.STANDINGS.each(claims, this::refresh);
  }

  private CompletionStage<Standing> refresh(Claim claim) {
    return onOurs(claim, stored -> restartTtl(claim, stored))
        .<Standing>thenApply(
            granted -> {
              if (granted.isPresent()) {
                return granted.get();
              }
              seen.remove(claim.id());
              return Gone.GONE;
            });
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return PerClaim.DEPARTURES.each(
        departures,
        departure -> departure.tombstone() ? leaveForGood(departure) : leave(departure));
  }

  private CompletionStage<Left> leaveForGood(Departure departure) {
    Claim claim = departure.claim();
    // First, so that a join answered from now on is undone.
    tombstones.put(claim.id(), true, claim.ttl());
    return leave(departure)
        .thenApply(
            left -> {
              if (left == Left.GONE) {
                ticker.schedule(LATE_ARRIVAL, () -> leave(Departure.of(claim)));
              }
              return left;
            });
  }

  private CompletionStage<Left> leave(Departure departure) {
    Claim claim = departure.claim();
    CompletionStage<Optional<Left>> ended =
        onOurs(claim, stored -> end(stored, departure.linger()));
    seen.remove(claim.id());
    return ended.thenApply(left -> left.orElse(Left.GONE));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return evict(lock, token, ATTEMPTS);
  }

  private CompletionStage<Boolean> evict(String lock, long token, int attempts) {
    return register
        .read(lock)
        .thenCompose(
            entry -> {
              if (entry.isEmpty() || !parse(lock, entry.get()).hasToken(token)) {
                return CompletableFuture.completedFuture(false);
              }
              return register
                  .compareAndSet(lock, entry.get().version(), null, Duration.ZERO)
                  .thenCompose(
                      deleted ->
                          deleted.isPresent()
                              ? CompletableFuture.completedFuture(true)
                              : retry(lock, attempts, left -> evict(lock, token, left)));
            });
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return register
        .read(lock)
        .thenCompose(
            entry ->
                entry.isEmpty() || ClaimRecord.isReadable(lock, entry.get().value())
                    ? CompletableFuture.completedFuture(false)
                    : register
                        .compareAndSet(lock, entry.get().version(), null, Duration.ZERO)
                        .thenApply(OptionalLong::isPresent));
  }

  /** Does nothing: a register sends no hints. */
  @Override
  public Registration observe(String lock, Runnable wake) {
    return Registration.NONE;
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return register
        .read(lock)
        .thenApply(
            entry -> {
              if (entry.isEmpty()) {
                return LockInfo.free(lock);
              }
              ClaimRecord record = parse(lock, entry.get()).record();
              return new LockInfo(
                  lock, record.kind(), 1, List.of(record.info(entry.get().remaining())), List.of());
            });
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException(this + " cannot list locks; inspect a lock by its name"));
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return register.diagnose();
  }

  @Override
  public void close() {
    register.close();
  }

  /** Acts on our claim at the version last seen or, if that has changed, at the current one. */
  private <T> CompletionStage<Optional<T>> onOurs(
      Claim claim, Function<VersionedClaim, CompletionStage<Optional<T>>> act) {
    VersionedClaim known = seen.get(claim.id());
    if (known == null) {
      return readAndAct(claim, act, ATTEMPTS);
    }
    return act.apply(known)
        .thenCompose(
            done ->
                done.isPresent()
                    ? CompletableFuture.completedFuture(done)
                    : readAndAct(claim, act, ATTEMPTS));
  }

  private <T> CompletionStage<Optional<T>> readAndAct(
      Claim claim, Function<VersionedClaim, CompletionStage<Optional<T>>> act, int attempts) {
    return register
        .read(claim.lock())
        .thenCompose(
            entry -> {
              Optional<VersionedClaim> ours =
                  entry.map(it -> parse(claim.lock(), it)).filter(stored -> stored.isHeldBy(claim));
              if (ours.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.<T>empty());
              }
              return act.apply(ours.get())
                  .thenCompose(
                      done ->
                          done.isPresent()
                              ? CompletableFuture.completedFuture(done)
                              : retry(
                                  claim.lock(), attempts, left -> readAndAct(claim, act, left)));
            });
  }

  private CompletionStage<Optional<Granted>> restartTtl(Claim claim, VersionedClaim stored) {
    ClaimRecord record = stored.record();
    Tokens spares = Tokens.sparesOfRevision(record.token(), record.given(), claim.spares());
    ClaimRecord next =
        record.refreshed(claim, record.given() + spares.count(), stored.age(ticker.nanoTime()));
    return register
        .compareAndSet(claim.lock(), stored.version(), next.encode(), claim.ttl())
        .thenApply(
            version -> {
              if (version.isEmpty()) {
                return Optional.empty();
              }
              seen.put(
                  claim.id(),
                  new VersionedClaim(next, version.getAsLong(), stored.since()),
                  claim.ttl());
              return Optional.of(new Granted(record.token(), spares));
            });
  }

  private CompletionStage<Optional<Left>> end(VersionedClaim stored, Duration linger) {
    ClaimRecord record = stored.record();
    String last =
        linger.isZero() ? null : record.lingering(linger, stored.age(ticker.nanoTime())).encode();
    return register
        .compareAndSet(record.lock(), stored.version(), last, linger)
        .thenApply(version -> version.isPresent() ? Optional.of(Left.LEFT) : Optional.empty());
  }

  private boolean hasTombstone(Claim claim) {
    return tombstones.get(claim.id()) != null;
  }

  private VersionedClaim parse(String lock, Register.Entry entry) {
    return VersionedClaim.of(lock, register.place(lock), entry, ticker.nanoTime());
  }

  private <T> CompletionStage<T> retry(
      String lock, int attempts, Function<Integer, CompletionStage<T>> again) {
    return attempts > 1
        ? again.apply(attempts - 1)
        : CompletableFuture.failedFuture(
            new StoreException(
                lock,
                "Contention on '"
                    + lock
                    + "' at "
                    + this
                    + " is too high: it changed "
                    + ATTEMPTS
                    + " times"));
  }

  private static CompletionStage<JoinAnswer> answer(JoinAnswer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  @Override
  public String toString() {
    return register.toString();
  }
}
