package dev.holdfast.testkit.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * One client of a store, spoken to in the words of the tests: each call waits for the answer. The
 * methods named after an answer fail on any other.
 */
public final class Client implements AutoCloseable {

  private final LockStore store;

  Client(StoreFixture fixture) {
    store = fixture.open();
  }

  /** The store behind it. */
  public LockStore store() {
    return store;
  }

  /** Joins without waiting. */
  public JoinAnswer join(Claim claim) {
    return Answers.of(store.join(claim, false, Deadlines.far()));
  }

  /** Joins and would wait. */
  public JoinAnswer queue(Claim claim) {
    return Answers.of(store.join(claim, true, Deadlines.far()));
  }

  /** Joins, and must be granted at once. */
  public Granted granted(Claim claim) {
    JoinAnswer answer = join(claim);
    assertThat(answer).as("answer to the join of %s", claim).isInstanceOf(Granted.class);
    return (Granted) answer;
  }

  /** Joins, and must be put in the queue. */
  public Queued queued(Claim claim) {
    JoinAnswer answer = queue(claim);
    assertThat(answer).as("answer to the waiting join of %s", claim).isInstanceOf(Queued.class);
    return (Queued) answer;
  }

  /** Joins without waiting, and must be answered busy. */
  public Busy busy(Claim claim) {
    JoinAnswer answer = join(claim);
    assertThat(answer).as("answer to the join of %s", claim).isInstanceOf(Busy.class);
    return (Busy) answer;
  }

  /** Refreshes one claim. */
  public Standing refresh(Claim claim) {
    Map<Claim, Standing> answers = refresh(List.of(claim));
    assertThat(answers).as("answers to the refresh of one claim").containsOnlyKeys(claim);
    return Objects.requireNonNull(answers.get(claim));
  }

  /** Refreshes a batch. */
  public Map<Claim, Standing> refresh(Collection<Claim> claims) {
    return Answers.of(store.refresh(claims, Deadlines.far()));
  }

  /** Refreshes, and must hold. */
  public Granted holds(Claim claim) {
    Standing standing = refresh(claim);
    assertThat(standing).as("standing of %s", claim).isInstanceOf(Granted.class);
    return (Granted) standing;
  }

  /** Refreshes, and must wait. */
  public Queued waits(Claim claim) {
    Standing standing = refresh(claim);
    assertThat(standing).as("standing of %s", claim).isInstanceOf(Queued.class);
    return (Queued) standing;
  }

  /** Refreshes, and must be answered gone. */
  public void gone(Claim claim) {
    assertThat(refresh(claim)).as("standing of %s", claim).isEqualTo(Gone.GONE);
  }

  /** Returns whether a refresh finds the claim granted. */
  public boolean isGranted(Claim claim) {
    return refresh(claim) instanceof Granted;
  }

  /** Leaves with one claim. */
  public Left leave(Claim claim) {
    return leave(Departure.of(claim));
  }

  /** Leaves in this way. */
  public Left leave(Departure departure) {
    Map<Claim, Left> answers = Answers.of(store.leave(List.of(departure), Deadlines.far()));
    assertThat(answers).as("answers to one leave").containsOnlyKeys(departure.claim());
    return Objects.requireNonNull(answers.get(departure.claim()));
  }

  /** Leaves, and must have been there. */
  public void left(Claim claim) {
    assertThat(leave(claim)).as("leave of %s", claim).isEqualTo(Left.LEFT);
  }

  /** Leaves with several claims in one call. */
  public Map<Claim, Left> leaveAll(Claim... claims) {
    return Answers.of(store.leave(Stream.of(claims).map(Departure::of).toList(), Deadlines.far()));
  }

  /** Forced release. */
  public boolean evict(String lock) {
    return evict(lock, LockStore.ANY_TOKEN);
  }

  /** Forced release of the claim with this token. */
  public boolean evict(String lock, long token) {
    return Answers.of(store.evict(lock, token));
  }

  /** Asks for hints. */
  public Registration observe(String lock, Runnable wake) {
    return store.observe(lock, wake);
  }

  /** How the lock stands. */
  public LockInfo inspect(String lock) {
    return Answers.of(store.inspect(lock));
  }

  /** The locks in use. */
  public List<LockInfo> list(String prefix, int limit) {
    return Answers.of(store.list(prefix, limit));
  }

  /** The names of the locks in use. */
  public List<String> names(String prefix) {
    return list(prefix, 1000).stream().map(LockInfo::name).toList();
  }

  /** Keeps a claim's lock taken for a while after it left. */
  public Left linger(Claim claim, Duration linger) {
    return leave(new Departure(claim, linger, false));
  }

  @Override
  public void close() {
    store.close();
  }
}
