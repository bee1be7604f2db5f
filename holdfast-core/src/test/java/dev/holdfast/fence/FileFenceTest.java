package dev.holdfast.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileFenceTest {

  private static final Owner OWNER = new Owner("web-3", 4121, "main", "client", "");

  @TempDir Path folder;
  private Path data;

  @BeforeEach
  void name() {
    data = folder.resolve("prices.csv");
  }

  @Test
  void data_are_replaced_and_the_token_stands_beside_them() throws Exception {
    FileFence fence = FileFence.beside(data);
    fence.enter(exclusive("prices/all", 7));
    fence.write(exclusive("prices/all", 7), bytes("a;1"));
    fence.write(exclusive("prices/all", 7), bytes("a;2"));
    assertThat(data).hasContent("a;2");
    assertThat(folder.resolve("prices.csv.fence")).hasContent("holdfast-fence 1\n7 prices%2Fall\n");
    try (var files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("prices.csv", "prices.csv.fence", "prices.csv.fence.lock");
    }
  }

  @Test
  void a_stale_write_leaves_the_data_as_they_were() {
    FileFence.beside(data).write(exclusive("prices", 7), bytes("old"));
    FileFence.beside(data).enter(exclusive("prices", 8));
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> FileFence.beside(data).write(exclusive("prices", 7), bytes("late")))
        .satisfies(stale -> assertThat(stale.current()).isEqualTo(8));
    assertThat(data).hasContent("old");
  }

  @Test
  void a_link_to_the_data_leads_to_the_same_fence() throws Exception {
    FileFence.beside(data).write(exclusive("prices", 7), bytes("old"));
    Path link = Files.createSymbolicLink(folder.resolve("link.csv"), data);
    FileFence.beside(link).write(exclusive("prices", 9), bytes("new"));
    assertThatThrownBy(() -> FileFence.beside(data).check(exclusive("prices", 8)))
        .isInstanceOf(StaleTokenException.class);
    assertThat(link).isSymbolicLink();
    assertThat(data).hasContent("new");
  }

  @Test
  void a_private_file_stays_private() throws Exception {
    Files.createFile(
        data, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    FileFence.beside(data).write(exclusive("prices", 7), bytes("secret"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rw-------");
  }

  @Test
  void what_a_killed_process_has_left_is_in_nobodys_way() throws Exception {
    Files.writeString(folder.resolve("prices.csv.new"), "hal");
    Files.writeString(folder.resolve("prices.csv.fence.new"), "hal");
    FileFence.beside(data).write(exclusive("prices", 7), bytes("whole"));
    assertThat(data).hasContent("whole");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "holdfast-fence 2\n", "holdfast-fence 1\n7\n", "holdfast-fence 1\nx prices\n"})
  void a_fence_that_cannot_be_read_refuses_and_stays_as_it_is(String content) throws IOException {
    Path fence = Files.writeString(folder.resolve("prices.csv.fence"), content);
    assertThatThrownBy(() -> FileFence.beside(data).write(exclusive("prices", 7), bytes("new")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("prices.csv.fence");
    assertThat(fence).hasContent(content);
    assertThat(data).doesNotExist();
  }

  @Test
  void threads_that_write_at_the_same_time_end_with_the_greatest_token() throws Exception {
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 1; i <= 40; i++) {
      Proof proof = exclusive("prices", i);
      writes.add(CompletableFuture.runAsync(() -> writeOrBeRefused(proof)));
    }
    CompletableFuture.allOf(writes.toArray(CompletableFuture<?>[]::new)).join();
    assertThat(data).hasContent("40");
  }

  @Test
  void an_interrupted_thread_writes_nothing_and_stays_interrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> FileFence.beside(data).write(exclusive("prices", 7), bytes("new")))
        .isInstanceOf(StoreException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(data).doesNotExist();
    FileFence.beside(data).write(exclusive("prices", 7), bytes("new"));
    assertThat(data).hasContent("new");
  }

  /** Readers run side by side: no order of their tokens says whose write is the later. */
  @Test
  void a_reader_enters_and_does_not_write() {
    FileFence fence = FileFence.beside(data);
    fence.write(exclusive("prices", 7), bytes("old"));
    Proof reader = new Proof("prices", 8, Mode.SHARED, OWNER);
    fence.enter(reader);
    fence.check(reader);
    assertThatThrownBy(() -> fence.write(reader, bytes("new")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'prices' is held for reading only (token 8): acquire the write lock to replace"
                + " prices.csv");
    assertThat(data).hasContent("old");
  }

  @Test
  void a_folder_that_is_not_there_is_refused_at_once() {
    Path nowhere = folder.resolve("nowhere/prices.csv");
    assertThatThrownBy(() -> FileFence.beside(nowhere))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nowhere");
  }

  private void writeOrBeRefused(Proof proof) {
    try {
      FileFence.beside(data).write(proof, bytes(Long.toString(proof.token())));
    } catch (StaleTokenException e) {
      assertThat(e.current()).isGreaterThan(proof.token());
    }
  }

  private static Proof exclusive(String lock, long token) {
    return new Proof(lock, token, Mode.EXCLUSIVE, OWNER);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
