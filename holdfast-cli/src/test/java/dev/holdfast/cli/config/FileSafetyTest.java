package dev.holdfast.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.output.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a file, and the way to the default store, must be safe from. */
class FileSafetyTest {

  private @TempDir Path directory;
  private Path state;
  private Path store;

  @BeforeEach
  void others_can_enter_the_directory() throws IOException {
    mode(directory, "rwxr-xr-x"); // the test's own would keep everybody out
    state = Files.createDirectory(directory.resolve("state"));
    store = state.resolve("holdfast");
  }

  @Test
  void a_file_of_another_user_is_refused_and_one_of_roots_is_not() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    mode(file, "rw-------");
    Object owner = Files.getAttribute(file, "unix:uid");
    if (owner.equals(0)) { // a file of root's is accepted for every user
      assertThat(new FileSafety(1000).writeFault(file)).isNull();
      Files.setAttribute(file, "unix:uid", 65534);
      owner = 65534;
    }
    long other = (Integer) owner + 1L;
    assertThat(new FileSafety((Integer) owner).writeFault(file)).isNull();
    assertThat(new FileSafety(other).writeFault(file))
        .isEqualTo(
            file
                + " belongs to user id "
                + owner
                + ", who can change it; unless that is intended, run: chown "
                + other
                + " "
                + file);
    assertThat(new FileSafety(other).secretFault(file)).contains("run: chown " + other);
    assertThat(new FileSafety(other).pathFault(file)).contains("run: chown " + other);
    assertThat(new FileSafety(0).writeFault(file)).as("root trusts no user").contains("chown 0");
  }

  @Test
  void a_secret_that_root_gives_to_a_group_is_accepted() throws IOException {
    Path passwords = Path.of("/etc/shadow"); // root's, with a group that may read it or none
    assertThat(new FileSafety(1000).secretFault(passwords)).isNull();
    assertThat(new FileSafety(1000).secretFault(Path.of("/etc/passwd")))
        .contains("can be read by others; run: chmod o-rwx /etc/passwd");
  }

  @Test
  void the_directory_of_the_default_store_is_refused_if_others_can_write_it() throws IOException {
    assertThat(run().exitCode).isZero();
    mode(store, "rwxrwx---");
    refused(store + " can be written by others; run: chmod go-w " + store);
    mode(store, "rwx------");
    assertThat(run().exitCode).isZero();
  }

  @Test
  void so_is_one_above_it_unless_nobody_else_gets_there() throws IOException {
    mode(state, "rwxrwxrwx");
    refused(state + " can be written by others; run: chmod go-w " + state);
    assertThat(store).doesNotExist();
    mode(directory, "rwx------");
    assertThat(run().exitCode).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"locks.db", "locks.db-wal", "locks.db-shm", "locks.db-journal"})
  void its_files_are_refused_if_others_can_write_them_or_if_they_are_links(String name)
      throws IOException {
    assertThat(run().exitCode).isZero();
    Path file = store.resolve(name);
    Files.deleteIfExists(file);
    Files.writeString(file, "");
    mode(file, "rw-r--rw-");
    refused(file + " can be written by others; run: chmod go-w " + file);
    Files.delete(file);
    Path target = directory.resolve("target");
    Files.createSymbolicLink(file, target);
    refused(file + " is a symbolic link; run: rm " + file);
    assertThat(target).doesNotExist();
  }

  @Test
  void a_directory_that_is_a_link_is_refused_and_one_above_it_is_not() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real"));
    Files.createSymbolicLink(store, real);
    refused(store + " is a symbolic link; run: rm " + store);
    assertThat(real).isEmptyDirectory();
    Files.delete(store);
    Files.delete(state);
    Files.createSymbolicLink(state, real);
    assertThat(run().exitCode).isZero();
    mode(real, "rwxrwxrwx");
    refused(real.toRealPath() + " can be written by others", state + " can be written by others");
  }

  private InProcess run() {
    return InProcess.run(Map.of("XDG_STATE_HOME", state.toString()), "ls");
  }

  private void refused(String... either) {
    InProcess run = run();
    assertThat(run.exitCode).as(run.err).isEqualTo(ExitCodes.STORE_UNREACHABLE);
    assertThat(run.err)
        .startsWith("holdfast: the lock file " + store.resolve("locks.db") + " is not safe: ")
        .hasLineCount(1)
        .satisfiesAnyOf(
            err -> assertThat(err).contains(either[0]),
            err -> assertThat(err).contains(either[either.length - 1]));
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }
}
