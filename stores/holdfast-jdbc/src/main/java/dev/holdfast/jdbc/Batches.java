package dev.holdfast.jdbc;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.jdbc.sql.NameList;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.PerClaim;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Asks about many claims by few transactions. One that finds a row locked by another transaction
 * leaves its claim out, and that claim is asked about alone. The answers for its neighbours wait
 * for it for a small part of their ttl only: then it is unknown, and its client asks again.
 *
 * <p>Immutable and thread-safe.
 *
 * @param <T> what the store is asked about: a claim, or a departure
 * @param <R> the answer for one claim
 */
final class Batches<T, R> {

  /** One transaction for several. */
  @FunctionalInterface
  interface Part<T, R> {
    /** Returns an answer for each claim, except for those that it left out. */
    Map<Claim, R> run(StoreConnection connection, List<T> items) throws SQLException;
  }

  /** A request for one. */
  @FunctionalInterface
  interface Single<T, R> {
    CompletableFuture<Map<Claim, R>> ask(T item, Deadline deadline);
  }

  /** A client asks again after a sixth of the ttl. */
  private static final int SHARE_OF_TTL = 8;

  private final SqlExecutor executor;
  private final Ticker ticker;
  private final String verb;
  private final PerClaim<T, R> answers;
  private final Function<T, Claim> claimOf;
  private final R unknown;
  private final Part<T, R> part;
  private final Single<T, R> single;

  private Batches(
      SqlExecutor executor,
      Ticker ticker,
      String verb,
      PerClaim<T, R> answers,
      Function<T, Claim> claimOf,
      R unknown,
      Part<T, R> part,
      Single<T, R> single) {
    this.executor = executor;
    this.ticker = ticker;
    this.verb = verb;
    this.answers = answers;
    this.claimOf = claimOf;
    this.unknown = unknown;
    this.part = part;
    this.single = single;
  }

  static Batches<Claim, Standing> ofRenewals(
      SqlExecutor executor,
      Ticker ticker,
      Part<Claim, Standing> part,
      Single<Claim, Standing> single) {
    Unknown locked = new Unknown(new StoreException("", "another transaction has locked its row"));
    return new Batches<>(
        executor, ticker, "renewal", PerClaim.STANDINGS, claim -> claim, locked, part, single);
  }

  static Batches<Departure, Left> ofReleases(
      SqlExecutor executor,
      Ticker ticker,
      Part<Departure, Left> part,
      Single<Departure, Left> single) {
    return new Batches<>(
        executor,
        ticker,
        "release",
        PerClaim.DEPARTURES,
        Departure::claim,
        Left.UNKNOWN,
        part,
        single);
  }

  /** Each transaction takes a bounded number, so that it keeps no others waiting for long. */
  CompletableFuture<Map<Claim, R>> ask(Collection<T> items, Deadline deadline) {
    return answers.splitting(
        items,
        NameList.MAX,
        deadline,
        some ->
            some.size() == 1
                ? single.ask(some.get(0), deadline)
                : executor
                    .submit(verb, "", deadline, connection -> part.run(connection, some))
                    .thenCompose(done -> withLeftOut(some, done, deadline)));
  }

  private CompletableFuture<Map<Claim, R>> withLeftOut(
      List<T> items, Map<Claim, R> done, Deadline deadline) {
    List<T> leftOut =
        items.stream().filter(item -> !done.containsKey(claimOf.apply(item))).toList();
    if (leftOut.isEmpty()) {
      return CompletableFuture.completedFuture(done);
    }
    Duration patience = patience(items, deadline);
    Deadline soon = Limits.deadline(patience);
    CompletableFuture<Map<Claim, R>> others =
        answers.inChunks(leftOut, 1, one -> single.ask(one.get(0), soon));
    Map<Claim, R> late = new HashMap<>();
    leftOut.forEach(item -> late.put(claimOf.apply(item), unknown));
    Registration timer = ticker.schedule(patience, () -> others.complete(late));
    return others.thenApply(
        some -> {
          timer.close();
          return PerClaim.both(done, some);
        });
  }

  private Duration patience(List<T> items, Deadline deadline) {
    Duration patience = deadline.remaining().dividedBy(2);
    for (T item : items) {
      Duration share = claimOf.apply(item).ttl().dividedBy(SHARE_OF_TTL);
      patience = share.compareTo(patience) < 0 ? share : patience;
    }
    return patience;
  }
}
