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
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
 * <p>Keeps mutexes and elections. It has no queue, so waiters retry; it pushes nothing, and cannot
 * list. Taking a free lock, renewing it and releasing it are one round trip each.
 *
 * <ol>
 *   <li><b>join</b> writes the record where there is none; on conflict it reads: our own claim is
 *       armed anew, any other is busy.
 *   <li><b>refresh</b> writes at the version last seen; on conflict it reads, and tries again while
 *       the claim there is ours. A record that is not there is never written again.
 *   <li><b>leave</b> deletes, or lets linger, likewise.
 *   <li>The <b>token</b> is the version of the claim's first write, and moves into the record with
 *       the second. A floor that the client brings is not needed for it: the register promises that
 *       the versions of a key rise.
 * </ol>
 *
 * <p><b>Late joins.</b> A register has no place for tombstones, so they are kept here. A buried
 * join that is answered as let in is taken back at once. One whose answer never comes is looked for
 * once more a little later; if it arrives later still, the lock stays taken until its ttl ends,
 * though nobody believes to hold it.
 *
 * <p>Safe for any threads.
 */
public final class RegisterLockStore implements LockStore {

  // A claim is changed by its own client only: more than one conflict means lost answers.
  private static final int ATTEMPTS = 8;

  // By then a request that was on its way when its connection broke has most likely arrived.
  private static final Duration LATE = Duration.ofSeconds(1);

  private final Register register;
  private final Traits traits;
  private final Ticker ticker;
  private final ShortMemory<Grip> grips;
  private final ShortMemory<Boolean> tombstones;

  /**
   * On a register, which is closed with the store.
   *
   * @param traits {@link #baseTraits} with what the register adds: ttl, consistency, reach
   * @param ticker for how long something is remembered
   * @throws IllegalArgumentException if the traits claim what no register can do
   */
  public RegisterLockStore(Register register, Traits traits, Ticker ticker) {
    Traits base = baseTraits().build();
    if (traits.fair()
        || traits.pushes()
        || traits.lists()
        || !traits.kinds().equals(base.kinds())) {
      throw new IllegalArgumentException(
          "locks in a register are not fair, not pushed, not listed and of the kinds "
              + base.kinds()
              + "; start from RegisterLockStore.baseTraits()");
    }
    this.register = register;
    this.traits = traits;
    this.ticker = ticker;
    this.grips = new ShortMemory<>(ticker);
    this.tombstones = new ShortMemory<>(ticker);
  }

  /** What holds for locks in any register. */
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
          new IllegalArgumentException(this + " cannot keep a lock of kind " + claim.kind()));
    }
    if (isBuried(claim)) {
      return answer(new Busy(null));
    }
    return enter(claim, ATTEMPTS)
        .thenCompose(
            answer ->
                answer instanceof Granted && isBuried(claim)
                    ? leave(Departure.of(claim)).thenApply(left -> new Busy(null))
                    : answer(answer));
  }

  private CompletionStage<JoinAnswer> enter(Claim claim, int attempts) {
    int spares = Math.min(claim.spares(), Tokens.SPARES_OF_REVISION);
    LockRecord first = LockRecord.of(claim, spares);
    return register
        .compareAndSet(claim.lock(), Register.ABSENT, first.encode(), claim.ttl())
        .thenCompose(
            version -> {
              if (version.isEmpty()) {
                return meet(claim, attempts);
              }
              Grip grip = Grip.first(first, version.getAsLong(), ticker.nanoTime());
              grips.put(claim.id(), grip, claim.ttl());
              long token = grip.record().token();
              return answer(new Granted(token, Tokens.sparesOfRevision(token, 0, spares)));
            });
  }

  /** Somebody is there: who? */
  private CompletionStage<JoinAnswer> meet(Claim claim, int attempts) {
    return register
        .read(claim.lock())
        .thenCompose(
            entry -> {
              if (entry.isEmpty()) {
                return attempts > 1 ? enter(claim, attempts - 1) : answer(new Busy(null));
              }
              Grip grip = grip(claim.lock(), entry.get());
              LockRecord record = grip.record();
              if (!grip.isOf(claim)) {
                return answer(
                    record.kind() == claim.kind()
                        ? new Busy(record.owner())
                        : new Mismatch(record.kind(), 1));
              }
              if (record.left()) {
                return answer(new Busy(null));
              }
              return rearm(claim, grip)
                  .thenCompose(
                      granted ->
                          granted.isPresent()
                              ? answer(granted.get())
                              : retry(claim.lock(), attempts, left -> meet(claim, left)));
            });
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    Map<Claim, CompletableFuture<Standing>> answers = new LinkedHashMap<>();
    for (Claim claim : claims) {
      answers.put(claim, refresh(claim).toCompletableFuture());
    }
    return all(answers);
  }

  private CompletionStage<Standing> refresh(Claim claim) {
    return onOurs(claim, grip -> rearm(claim, grip))
        .<Standing>thenApply(
            granted -> {
              if (granted.isPresent()) {
                return granted.get();
              }
              grips.remove(claim.id());
              return Gone.GONE;
            })
        .exceptionally(Unknown::new);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    Map<Claim, CompletableFuture<Left>> answers = new LinkedHashMap<>();
    for (Departure departure : departures) {
      CompletionStage<Left> left = departure.tombstone() ? bury(departure) : leave(departure);
      answers.put(
          departure.claim(), left.exceptionally(unknown -> Left.UNKNOWN).toCompletableFuture());
    }
    return all(answers);
  }

  private CompletionStage<Left> bury(Departure departure) {
    Claim claim = departure.claim();
    // First of all: a join that is answered from now on is taken back.
    tombstones.put(claim.id(), true, claim.ttl());
    return leave(departure)
        .thenApply(
            left -> {
              if (left == Left.GONE) {
                ticker.schedule(LATE, () -> leave(Departure.of(claim)));
              }
              return left;
            });
  }

  private CompletionStage<Left> leave(Departure departure) {
    Claim claim = departure.claim();
    CompletionStage<Optional<Left>> ended = onOurs(claim, grip -> end(grip, departure.linger()));
    grips.remove(claim.id());
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
              if (entry.isEmpty() || !grip(lock, entry.get()).isNamedBy(token)) {
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
                entry.isEmpty() || LockRecord.isReadable(lock, entry.get().value())
                    ? CompletableFuture.completedFuture(false)
                    : register
                        .compareAndSet(lock, entry.get().version(), null, Duration.ZERO)
                        .thenApply(OptionalLong::isPresent));
  }

  /** A register has no hints to give. */
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
              LockRecord record = grip(lock, entry.get()).record();
              return new LockInfo(
                  lock, record.kind(), 1, List.of(record.info(entry.get().remaining())), List.of());
            });
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException(
            this + " cannot tell which locks are in use; inspect a lock by its name"));
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return register.diagnose();
  }

  @Override
  public void close() {
    register.close();
  }

  /** Acts on our claim where it was last seen or, if it has moved since, where it is now. */
  private <T> CompletionStage<Optional<T>> onOurs(
      Claim claim, Function<Grip, CompletionStage<Optional<T>>> act) {
    Grip known = grips.get(claim.id());
    if (known == null) {
      return look(claim, act, ATTEMPTS);
    }
    return act.apply(known)
        .thenCompose(
            done ->
                done.isPresent()
                    ? CompletableFuture.completedFuture(done)
                    : look(claim, act, ATTEMPTS));
  }

  private <T> CompletionStage<Optional<T>> look(
      Claim claim, Function<Grip, CompletionStage<Optional<T>>> act, int attempts) {
    return register
        .read(claim.lock())
        .thenCompose(
            entry -> {
              Optional<Grip> ours =
                  entry.map(it -> grip(claim.lock(), it)).filter(grip -> grip.holds(claim));
              if (ours.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.<T>empty());
              }
              return act.apply(ours.get())
                  .thenCompose(
                      done ->
                          done.isPresent()
                              ? CompletableFuture.completedFuture(done)
                              : retry(claim.lock(), attempts, left -> look(claim, act, left)));
            });
  }

  private CompletionStage<Optional<Granted>> rearm(Claim claim, Grip grip) {
    LockRecord record = grip.record();
    Tokens spares = Tokens.sparesOfRevision(record.token(), record.given(), claim.spares());
    LockRecord next =
        record.refreshed(claim, record.given() + spares.count(), grip.held(ticker.nanoTime()));
    return register
        .compareAndSet(claim.lock(), grip.version(), next.encode(), claim.ttl())
        .thenApply(
            version -> {
              if (version.isEmpty()) {
                return Optional.empty();
              }
              grips.put(claim.id(), new Grip(next, version.getAsLong(), grip.since()), claim.ttl());
              return Optional.of(new Granted(record.token(), spares));
            });
  }

  private CompletionStage<Optional<Left>> end(Grip grip, Duration linger) {
    LockRecord record = grip.record();
    String last =
        linger.isZero() ? null : record.lingering(linger, grip.held(ticker.nanoTime())).encode();
    return register
        .compareAndSet(record.lock(), grip.version(), last, linger)
        .thenApply(version -> version.isPresent() ? Optional.of(Left.LEFT) : Optional.empty());
  }

  private boolean isBuried(Claim claim) {
    return tombstones.get(claim.id()) != null;
  }

  private Grip grip(String lock, Register.Entry entry) {
    return Grip.of(lock, register.place(lock), entry, ticker.nanoTime());
  }

  private <T> CompletionStage<T> retry(
      String lock, int attempts, Function<Integer, CompletionStage<T>> again) {
    return attempts > 1
        ? again.apply(attempts - 1)
        : CompletableFuture.failedFuture(
            new StoreException(
                lock,
                "'" + lock + "' changed " + ATTEMPTS + " times while " + this + " was asked"));
  }

  private static CompletionStage<JoinAnswer> answer(JoinAnswer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static <A> CompletionStage<Map<Claim, A>> all(Map<Claim, CompletableFuture<A>> answers) {
    return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              Map<Claim, A> result = new HashMap<>();
              answers.forEach((claim, answer) -> result.put(claim, answer.join()));
              return result;
            });
  }

  @Override
  public String toString() {
    return register.toString();
  }
}
