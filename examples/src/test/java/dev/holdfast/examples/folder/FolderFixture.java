package dev.holdfast.examples.folder;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Stores in a folder that the tests share, with the real clock. */
final class FolderFixture implements StoreFixture {

  private final Ticker ticker = Ticker.system("folder-fixture");
  private final Path folder;

  FolderFixture(Path folder) {
    this.folder = folder;
  }

  @Override
  public LockStore open() {
    return new FolderProvider()
        .open("folder:" + folder, new StoreSettings(ticker, Duration.ofSeconds(20)));
  }

  @Override
  public Optional<String> url() {
    return Optional.of("folder:" + folder);
  }

  @Override
  public boolean replacesStoppedClients() {
    return false; // the operating system keeps the lock on a file for them
  }

  @Override
  public String damage(String lock, String text) {
    FolderRegister register = new FolderRegister(folder);
    try {
      long version = register.read(lock).toCompletableFuture().join().orElseThrow().version();
      register
          .compareAndSet(lock, version, text, Duration.ofMinutes(1))
          .toCompletableFuture()
          .join();
      return register.place(lock);
    } finally {
      register.close();
    }
  }

  @Override
  public void close() {
    ticker.close();
  }
}
