package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutableTest {

  private @TempDir Path first;
  private @TempDir Path second;

  @Test
  void the_first_executable_on_the_path_is_found() throws Exception {
    file(first, "tool", "rw-r--r--");
    Path tool = file(second, "tool", "rwxr-xr-x");
    assertThat(Executable.find("tool", first + ":" + second)).isEqualTo(tool);
    assertThat(Executable.find("tool", first.toString())).isNull();
    assertThat(Executable.find("sh", null)).isNotNull();
  }

  @Test
  void a_directory_on_the_path_is_no_command() throws Exception {
    Files.createDirectory(first.resolve("tool"));
    assertThat(Executable.find("tool", first.toString())).isNull();
    refused(ExitCodes.NOT_FOUND, "command 'tool' not found on the PATH", "tool");
    refused(ExitCodes.NOT_EXECUTABLE, "is a directory", first.resolve("tool").toString());
  }

  @Test
  void a_file_that_is_not_executable_is_distinguished_from_a_missing_one() throws Exception {
    file(first, "tool", "rw-r--r--");
    refused(ExitCodes.NOT_EXECUTABLE, "chmod +x", "tool");
    refused(ExitCodes.NOT_FOUND, "'other' not found on the PATH", "other");
    refused(ExitCodes.NOT_FOUND, "'./other' not found;", "./other");
  }

  private void refused(int exitCode, String message, String command) {
    assertThatThrownBy(() -> Executable.check(command, first.toString()))
        .isInstanceOfSatisfying(
            CliException.class, e -> assertThat(e.exitCode()).isEqualTo(exitCode))
        .hasMessageContaining(message);
  }

  private static Path file(Path directory, String name, String permissions) throws IOException {
    Path file = Files.createFile(directory.resolve(name));
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }
}
