package dev.holdfast.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands beside the data may have been put there by anybody. */
class DamagedFenceFileTest {

  private static final Owner OWNER = new Owner("web-3", 4121, "main", "client", "");
  private static final String FORMAT = "holdfast-fence 1\n";

  @TempDir Path folder;
  private Path data;
  private Path tokens;
  private Path lockFile;

  @BeforeEach
  void name() throws Exception {
    folder = folder.toRealPath();
    data = folder.resolve("prices.csv");
    tokens = folder.resolve("prices.csv.fence");
    lockFile = folder.resolve("prices.csv.fence.lock");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n",
        "precious",
        "holdfast-fence 2\n7 prices\n",
        "holdfast-fence 1 \n7 prices\n",
        FORMAT + "7\n",
        FORMAT + "\n7 prices\n",
        FORMAT + "7 prices\nrest\n",
        FORMAT + "7 %zz\n",
        FORMAT + "7 prices%2f\n",
        FORMAT + "7 \n",
        FORMAT + "7 prices\u0000\n",
        "\u001b[31m\n"
      })
  void a_file_that_no_fence_has_written_is_refused_and_left_as_it_is(String content)
      throws Exception {
    Files.writeString(tokens, content);
    refusesAll(tokens);
    assertThat(Files.readString(tokens)).isEqualTo(content);
  }

  @Test
  void a_line_that_cannot_be_read_is_named_by_its_number() throws Exception {
    Files.writeString(tokens, FORMAT + "7 prices\n\u001b[2Jrest\n");
    assertThatThrownBy(() -> fence().check(exclusive(9)))
        .hasMessageContaining("line 3 is '?[2Jrest'")
        .hasMessageContaining("holdfast fence reset --file " + data);
  }

  @Test
  void bytes_that_are_not_text_are_refused() throws Exception {
    Files.write(tokens, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
    refusesAll(tokens);
  }

  @Test
  void a_huge_file_is_refused_unread() throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(tokens.toFile(), "rw")) {
      file.setLength(1L << 40); // without blocks on the disk
    }
    refusesAll(tokens);
  }

  /** The lower of the two would let an old holder write. */
  @Test
  void a_lock_that_has_two_lines_is_refused_until_it_is_reset() throws Exception {
    Files.writeString(tokens, FORMAT + "5 prices\n3 prices\n4 other\n");
    assertThatThrownBy(() -> fence().check(exclusive(4)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(tokens + " holds 2 lines for it");
    fence().reset("prices", 5);
    assertThat(tokens).hasContent(FORMAT + "4 other\n5 prices\n");
  }

  @Test
  void the_damaged_line_of_another_lock_stays_as_it_is() throws Exception {
    Files.writeString(tokens, FORMAT + "-5 other\n7 prices\n");
    fence().write(exclusive(8), bytes("new"));
    assertThat(tokens).hasContent(FORMAT + "-5 other\n8 prices\n");
  }

  @Test
  void a_folder_is_refused() throws Exception {
    Files.createDirectory(tokens);
    refusesAll(tokens);
    Files.delete(tokens);
    Files.deleteIfExists(lockFile);
    Files.createDirectory(lockFile);
    refusesChanges(lockFile);
  }

  @Test
  void a_pipe_is_refused_and_nobody_waits_for_it() throws Exception {
    makePipe(tokens);
    refusesAll(tokens);
    Files.delete(tokens);
    Files.deleteIfExists(lockFile);
    makePipe(lockFile);
    refusesChanges(lockFile);
  }

  @Test
  void a_link_is_not_followed() throws Exception {
    Path victim = Files.writeString(folder.resolve("victim"), FORMAT + "1 prices\n");
    Files.createSymbolicLink(tokens, victim);
    refusesAll(tokens);
    Files.delete(tokens);
    Files.deleteIfExists(lockFile);
    Files.createSymbolicLink(lockFile, victim);
    refusesChanges(lockFile);
    Files.deleteIfExists(lockFile);
    Path nowhere = folder.resolve("nowhere");
    Files.createSymbolicLink(lockFile, nowhere);
    refusesChanges(lockFile);
    assertThat(nowhere).doesNotExist();
    assertThat(victim).hasContent(FORMAT + "1 prices\n");
  }

  @Test
  void a_device_is_refused() throws Exception {
    Files.createSymbolicLink(lockFile, Path.of("/dev/zero"));
    refusesChanges(lockFile);
    assertThatThrownBy(() -> FenceFile.read(Path.of("/dev/zero")))
        .hasMessageContaining("/dev/zero is a pipe, a socket or a device");
  }

  @Test
  void what_lies_in_the_place_of_the_next_file_is_not_followed() throws Exception {
    Path victim = Files.writeString(folder.resolve("victim"), "precious");
    Files.createSymbolicLink(folder.resolve("prices.csv.fence.new"), victim);
    Files.createSymbolicLink(folder.resolve("prices.csv.new"), victim);
    fence().write(exclusive(7), bytes("new"));
    assertThat(victim).hasContent("precious");
    assertThat(data).hasContent("new");
  }

  @Test
  void a_file_that_was_moved_away_makes_room_for_a_reset() throws Exception {
    Files.writeString(tokens, "precious");
    Files.move(tokens, folder.resolve("aside"));
    fence().reset("prices", 8);
    assertThatThrownBy(() -> fence().check(exclusive(7))).isInstanceOf(StaleTokenException.class);
    fence().enter(exclusive(9));
  }

  private void refusesAll(Path place) {
    refuses(place, () -> fence().check(exclusive(9)));
    refuses(place, () -> fence().current("prices"));
    refusesChanges(place);
  }

  private void refusesChanges(Path place) {
    refuses(place, () -> fence().enter(exclusive(9)));
    refuses(place, () -> fence().write(exclusive(9), bytes("new")));
    refuses(place, () -> fence().reset("prices", 8));
    assertThat(data).doesNotExist();
  }

  private void refuses(Path place, Runnable use) {
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () ->
            assertThatThrownBy(use::run)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("'prices'")
                .hasMessageContaining(place.toString())
                .hasMessageContaining("Move it away")
                .hasMessageContaining("holdfast fence reset"));
  }

  private FileFence fence() {
    return FileFence.beside(data);
  }

  private static void makePipe(Path path) throws Exception {
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
  }

  private static Proof exclusive(long token) {
    return new Proof("prices", token, Mode.EXCLUSIVE, OWNER);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
