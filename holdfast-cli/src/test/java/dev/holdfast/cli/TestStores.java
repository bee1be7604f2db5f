package dev.holdfast.cli;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.StoreUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stores that a test of the command line needs and no real one is: {@code test-login} keeps what it
 * was opened with, {@code test-tied} cannot detach, {@code test-leaky} cannot be opened and repeats
 * the password and its URL in the error, {@code test-sick} has something wrong with it, {@code
 * test-silent} lists its locks once and then answers no more, {@code test-chatty} refuses each
 * claim with an error that repeats the password, {@code test-hostile} cannot be opened and has
 * escape codes and extra lines in the error.
 */
public final class TestStores implements LockStoreProvider {

  private static final MemorySpace SPACE = new MemorySpace();
  private static final Traits TIED = Traits.builder().fair().spansProcesses().build();

  /** What the last store of this JVM was opened with. */
  public static volatile Credentials lastCredentials = Credentials.none();

  /** For the service loader. */
  public TestStores() {}

  @Override
  public Set<String> schemes() {
    return Set.of(
        "test-login",
        "test-tied",
        "test-leaky",
        "test-sick",
        "test-silent",
        "test-chatty",
        "test-hostile");
  }

  @Override
  public Traits traits(String scheme) {
    return TIED;
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    Credentials credentials = settings.credentials();
    lastCredentials = credentials;
    if (url.startsWith("test-leaky:")) {
      throw new StoreException(
          "",
          "login to " + url + " refused",
          new IllegalStateException("password " + credentials.password() + " is wrong"));
    }
    if (url.startsWith("test-hostile:")) {
      Throwable cause = new IllegalStateException("\u001b[2J\nholdfast: all is well\u202e");
      cause.addSuppressed(new IllegalStateException("\u009b31m\nholdfast: still well"));
      throw new StoreException("", "No answer (" + cause.getMessage() + ")", cause);
    }
    LockStore memory = new MemoryLockStore(SPACE, settings.ticker());
    return new Odd(url, credentials, memory, new AtomicInteger());
  }

  private record Odd(String url, Credentials credentials, LockStore inner, AtomicInteger lists)
      implements LockStore {

    @Override
    public Traits traits() {
      return TIED;
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      if (url.startsWith("test-chatty:")) {
        return CompletableFuture.failedFuture(
            new StoreException("", "no rights with password " + credentials.password()));
      }
      return inner.join(claim, wait, deadline);
    }

    @Override
    public CompletionStage<Map<Claim, Standing>> refresh(
        Collection<Claim> claims, Deadline deadline) {
      return inner.refresh(claims, deadline);
    }

    @Override
    public CompletionStage<Map<Claim, Left>> leave(
        Collection<Departure> departures, Deadline deadline) {
      return inner.leave(departures, deadline);
    }

    @Override
    public CompletionStage<Boolean> evict(String lock, long token) {
      return inner.evict(lock, token);
    }

    @Override
    public Registration observe(String lock, Runnable wake) {
      return inner.observe(lock, wake);
    }

    @Override
    public CompletionStage<LockInfo> inspect(String lock) {
      return inner.inspect(lock);
    }

    @Override
    public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
      boolean silent = url.startsWith("test-silent:") && lists.getAndIncrement() > 0;
      return silent ? new CompletableFuture<>() : inner.list(prefix, limit);
    }

    @Override
    public CompletionStage<Diagnosis> diagnose() {
      Instant anHourAhead = Instant.now().plus(Duration.ofHours(1));
      Finding bad = Finding.danger("keys are evicted; set maxmemory-policy noeviction");
      Finding good = Finding.ok("it is a test");
      return CompletableFuture.completedFuture(
          url.startsWith("test-sick:")
              ? new Diagnosis(anHourAhead, List.of(good, bad))
              : Diagnosis.empty());
    }

    @Override
    public void close() {
      inner.close();
    }

    @Override
    public String toString() {
      return StoreUrl.redact(url);
    }
  }
}
