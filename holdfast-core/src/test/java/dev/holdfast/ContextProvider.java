package dev.holdfast;

import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.Register;
import dev.holdfast.spi.StoreSettings;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stores that only a context class loader knows: {@code context:} opens, {@code context-broken:}
 * uses its ticker and fails.
 */
public final class ContextProvider implements LockStoreProvider {

  /** How many of its stores are open. */
  static final AtomicInteger OPEN = new AtomicInteger();

  private static final String BROKEN = "context-broken";

  /** For the service loader. */
  public ContextProvider() {}

  /** A class loader that knows this provider beside what its parent knows. */
  static ClassLoader loader(Path folder) throws IOException {
    URL service =
        Files.writeString(folder.resolve("service"), ContextProvider.class.getName())
            .toUri()
            .toURL();
    return new ClassLoader(ContextProvider.class.getClassLoader()) {
      @Override
      protected Enumeration<URL> findResources(String name) throws IOException {
        return name.equals("META-INF/services/" + LockStoreProvider.class.getName())
            ? Collections.enumeration(Set.of(service))
            : super.findResources(name);
      }
    };
  }

  @Override
  public Set<String> schemes() {
    return Set.of("context", BROKEN);
  }

  @Override
  public Traits traits(String scheme) {
    return RegisterLockStore.baseTraits().build();
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    settings.ticker().schedule(Duration.ofHours(1), () -> {});
    if (url.startsWith(BROKEN)) {
      throw new StoreException("", "broken on purpose");
    }
    OPEN.incrementAndGet();
    return new RegisterLockStore(new Nothing(), traits(url), settings.ticker());
  }

  /** A register that never has anything. */
  private static final class Nothing implements Register {

    @Override
    public CompletionStage<Optional<Entry>> read(String key) {
      return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public CompletionStage<OptionalLong> compareAndSet(
        String key, long expected, @Nullable String value, Duration ttl) {
      return CompletableFuture.completedFuture(OptionalLong.empty());
    }

    @Override
    public void close() {
      OPEN.decrementAndGet();
    }

    @Override
    public String toString() {
      return "context:";
    }
  }
}
