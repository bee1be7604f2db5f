package dev.holdfast.examples.folder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Register;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process can be killed at any moment: what is in the folder must be whole at each. */
class FolderRegisterTest {

  private static final int STEPS = 3000;
  private static final Duration TTL = Duration.ofMinutes(1);

  @Test
  void a_file_is_never_seen_half_written(@TempDir Path folder) throws Exception {
    FolderRegister register = new FolderRegister(folder);
    Path record = Path.of(register.place("x").substring("file ".length()));
    Path versions = folder.resolve("versions");
    long first =
        register
            .compareAndSet("x", Register.ABSENT, "0", TTL)
            .toCompletableFuture()
            .join()
            .getAsLong();
    CompletableFuture<Void> steps =
        CompletableFuture.runAsync(
            () -> {
              long version = first;
              for (int i = 1; i <= STEPS; i++) {
                version =
                    register
                        .compareAndSet("x", version, String.valueOf(i), TTL)
                        .toCompletableFuture()
                        .join()
                        .getAsLong();
              }
            });

    int looks = 0;
    while (!steps.isDone()) {
      assertThat(read(record)).as("record").contains("\n");
      assertThat(read(versions)).as("versions").isNotEmpty();
      looks++;
    }

    steps.join();
    register.close();
    assertThat(looks).isPositive();
  }

  private static String read(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new AssertionError("gone for a moment: " + file, e);
    }
  }
}
