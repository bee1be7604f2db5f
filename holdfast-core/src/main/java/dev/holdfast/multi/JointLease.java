package dev.holdfast.multi;

import static dev.holdfast.PrintableText.quote;
import static java.util.stream.Collectors.joining;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.MultiLease;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineLease;
import dev.holdfast.engine.Runner;
import dev.holdfast.spi.Standing;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** One lease over several locks: as good as the worst of them. Thread-safe. */
final class JointLease implements MultiLease, Runner.Held {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /** What the whole is called when its parts differ: the first of these that one of them is in. */
  private static final List<LeaseState> WORST_FIRST =
      List.of(LeaseState.LOST, LeaseState.RELEASED, LeaseState.JEOPARDY, LeaseState.HELD);

  private final Engine engine;
  private final List<EngineLease> parts;
  private final AtomicBoolean closed = new AtomicBoolean();

  JointLease(Engine engine, List<EngineLease> parts) {
    this.engine = engine;
    this.parts = List.copyOf(parts);
  }

  @Override
  public List<Lease> parts() {
    return List.copyOf(parts);
  }

  @Override
  public Lease part(String name) {
    return parts.stream()
        .filter(part -> part.lockName().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(quote(name) + " is not one of " + names()));
  }

  private String names() {
    return parts.stream().map(part -> quote(part.lockName())).collect(joining(", "));
  }

  @Override
  public LeaseState state() {
    return worst().state();
  }

  /** The first of those that are worst off. */
  private EngineLease worst() {
    return parts.stream()
        .min(Comparator.comparing(part -> WORST_FIRST.indexOf(part.state())))
        .orElseThrow();
  }

  @Override
  public boolean isValid() {
    return parts.stream().allMatch(Lease::isValid);
  }

  @Override
  public Duration remaining() {
    return parts.stream().map(Lease::remaining).min(Comparator.naturalOrder()).orElseThrow();
  }

  @Override
  public void ensure(Duration atLeast) {
    parts.forEach(part -> part.checkPromise(atLeast));
    if (remaining().compareTo(atLeast) >= 0 && isValid()) {
      return;
    }
    renew(); // all of them: while one is renewed, time passes for the others too
    parts.forEach(part -> part.checkRemaining(atLeast));
  }

  /** Renews all of them at the same time. */
  @Override
  public void renew() {
    List<CompletableFuture<Standing>> answers = parts.stream().map(EngineLease::renewal).toList();
    for (int i = 0; i < answers.size(); i++) {
      parts.get(i).renewed(engine.await(answers.get(i)));
    }
  }

  @Override
  public Registration onLost(Runnable action) {
    return onLost(action, engine.alarms());
  }

  @Override
  public Registration onLost(Runnable action, Executor executor) {
    AtomicBoolean reported = new AtomicBoolean();
    Runnable once =
        () -> {
          if (reported.compareAndSet(false, true)) {
            action.run();
          }
        };
    List<Registration> all = parts.stream().map(part -> part.onLost(once, executor)).toList();
    return () -> all.forEach(Registration::close);
  }

  @Override
  public boolean release() {
    return engine.await(end());
  }

  @Override
  public CompletableFuture<Boolean> releaseAsync() {
    return engine.calledBack(end());
  }

  @Override
  public boolean isClosed() {
    return closed.get();
  }

  @Override
  public LeaseLostException over() {
    return worst().over();
  }

  @Override
  public LeaseLostException gone() {
    return worst().gone();
  }

  /** Also if only some have so far: they end one after the other. Not if one was lost before. */
  @Override
  public boolean isEndedWithClient() {
    return parts.stream().anyMatch(EngineLease::isEndedWithClient) && state() != LeaseState.LOST;
  }

  @Override
  public CompletableFuture<Boolean> end() {
    return closed.compareAndSet(false, true)
        ? each(parts.stream().filter(part -> !part.isClosed()).toList(), EngineLease::end)
        : CompletableFuture.completedFuture(false);
  }

  /** Gives back what nobody has seen: see {@link EngineLease#giveBack}. */
  static CompletableFuture<Boolean> giveBack(List<EngineLease> held) {
    return each(held, EngineLease::giveBack);
  }

  /** Ends all of them at the same time; a failure of one is reported after all have answered. */
  private static CompletableFuture<Boolean> each(
      List<EngineLease> leases, Function<EngineLease, CompletableFuture<Boolean>> end) {
    List<EngineLease> backwards = new ArrayList<>(leases);
    Collections.reverse(backwards);
    List<CompletableFuture<Boolean>> ends = backwards.stream().map(end).toList();
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> ends.stream().allMatch(CompletableFuture::join));
  }

  @Override
  public void close() {
    if (closed.get()) {
      return;
    }
    try {
      if (!release() && !isEndedWithClient()) {
        LOG.log(Level.WARNING, "One of the locks {0} was lost before its release", names());
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, e.getMessage());
    }
  }

  @Override
  public String toString() {
    return "MultiLease[" + names() + ", " + state() + "]";
  }
}
