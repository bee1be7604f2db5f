package dev.holdfast.engine;

import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** A store whose verbs can be switched, one by one, to wrong answers or none. */
final class SilentStore extends ForwardingStore {

  enum Verb {
    JOIN,
    REFRESH,
    LEAVE,
    INSPECT
  }

  enum Manner {
    /** As it should be. */
    ANSWERS,
    /** Does nothing and never answers. */
    IGNORES,
    /** Does it, and the answer is lost. */
    LOSES_THE_ANSWER,
    /** Does nothing and answers with a failure. */
    FAILS,
    /** Throws instead of returning a stage. */
    THROWS,
    /** Carries it out, and answers on request. */
    ANSWERS_LATE,
    /** Carries it out and answers, on request. */
    DOES_IT_LATE
  }

  private final Map<Verb, Manner> manners = new ConcurrentHashMap<>(new EnumMap<>(Verb.class));

  // Mutable state
  private volatile CompletableFuture<Void> late = new CompletableFuture<>();

  SilentStore(LockStore inner) {
    super(inner);
  }

  void set(Verb verb, Manner manner) {
    manners.put(verb, manner);
  }

  void setAll(Manner manner) {
    for (Verb verb : Verb.values()) {
      set(verb, manner);
    }
  }

  /** Does and answers all that is late so far. */
  void answer() {
    CompletableFuture<Void> given = late;
    late = new CompletableFuture<>();
    given.complete(null);
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return behave(Verb.JOIN, () -> super.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return behave(Verb.REFRESH, () -> super.refresh(claims, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return behave(Verb.LEAVE, () -> super.leave(departures, deadline));
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return behave(Verb.INSPECT, () -> super.inspect(lock));
  }

  private <T> CompletionStage<T> behave(Verb verb, Supplier<CompletionStage<T>> call) {
    switch (manners.getOrDefault(verb, Manner.ANSWERS)) {
      case ANSWERS:
        return call.get();
      case IGNORES:
        return new CompletableFuture<>();
      case LOSES_THE_ANSWER:
        var unused = call.get();
        return new CompletableFuture<>();
      case FAILS:
        return CompletableFuture.failedStage(new StoreException("", "the store is broken"));
      case THROWS:
        throw new IllegalStateException("the store's client is broken");
      case ANSWERS_LATE:
        CompletionStage<T> done = call.get();
        return late.thenCompose(now -> done);
      case DOES_IT_LATE:
        return late.thenCompose(now -> call.get());
    }
    throw new AssertionError(verb);
  }
}
