package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody deletes the file while stores have it open. */
class ReplacedFileTest {

  @TempDir Path directory;

  @Test
  void a_store_notices_that_its_file_was_deleted_and_shares_the_new_one() throws Exception {
    Path file = directory.resolve("locks.db");
    Claim old = Ask.mutex("lock");
    try (Ticker ticker = Ticker.system("replaced-file");
        LockStore store = open(file, ticker)) {
      Granted before = (Granted) Ask.join(store, old);
      for (String suffix : new String[] {"", "-wal", "-shm"}) {
        Files.deleteIfExists(Path.of(file + suffix));
      }
      try (LockStore other = open(file, ticker)) {
        Granted after = (Granted) Ask.join(other, Ask.mutex("lock"));

        await().until(() -> Ask.refresh(store, old) == Gone.GONE);

        assertThat(Ask.of(store.inspect("lock")).holders().get(0).token())
            .isEqualTo(after.token())
            .isGreaterThan(before.token());
      }
    }
  }

  private static LockStore open(Path file, Ticker ticker) {
    return new SqliteProvider()
        .open("sqlite:" + file, new StoreSettings(ticker, Duration.ofSeconds(20)));
  }
}
