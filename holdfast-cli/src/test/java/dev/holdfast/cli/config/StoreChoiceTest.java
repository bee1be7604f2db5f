package dev.holdfast.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.TestStores;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the store's URL, user and password come from. */
class StoreChoiceTest {

  private @TempDir Path directory;
  private final Map<String, String> variables = new HashMap<>();

  @BeforeEach
  void no_settings_but_those_of_the_test() throws Exception {
    Files.createDirectories(directory.resolve("holdfast"));
    variables.put("XDG_CONFIG_HOME", directory.toString());
    variables.put("XDG_STATE_HOME", directory.resolve("state").toString());
  }

  @Test
  void the_environment_names_the_user_and_the_password() {
    variables.put("HOLDFAST_STORE", "test-login:");
    variables.put("HOLDFAST_STORE_USER", "app");
    variables.put("HOLDFAST_STORE_PASSWORD", "hunter2");
    login("app", "hunter2", "ls");
  }

  @Test
  void a_password_file_goes_before_the_environment() throws Exception {
    variables.put("HOLDFAST_STORE_PASSWORD", "hunter2");
    Path file = file("password", "hunter3\r\nsecond line\n", "r--------");
    login(null, "hunter3", "ls", "--store", "test-login:", "--password-file", file.toString());
  }

  @Test
  void the_config_file_has_a_store_a_user_and_a_password() throws Exception {
    config("# mine\n\nstore = test-login:\n user=app \npassword = a = b # c\n", "rw-------");
    login("app", "a = b # c", "ls");
    variables.put("HOLDFAST_STORE_PASSWORD", "hunter2");
    login("app", "hunter2", "ls");
  }

  @Test
  void the_config_file_can_name_a_password_file_beside_it() throws Exception {
    file("holdfast/secret", "hunter4", "rw-------");
    config("store = test-login:\npassword-file = secret\n", "rw-r--r--");
    login(null, "hunter4", "ls");
  }

  @Test
  void the_password_of_the_config_file_goes_to_no_other_store() throws Exception {
    config("store = nosuch:\nuser = app\npassword = hunter2\n", "rw-------");
    login(null, null, "ls", "--store", "test-login:");
    variables.put("HOLDFAST_STORE", "test-login:");
    login(null, null, "ls");
  }

  @ParameterizedTest
  @CsvSource({
    "password = CANARY, rw-r--r--",
    "password = CANARY, rw-r-----",
    "store = x://u:CANARY@h, rw----r--"
  })
  void a_config_file_with_a_password_that_others_can_read_is_refused(String line, String mode)
      throws Exception {
    config(line + "\n", mode);
    refused("config can be read by others; run: chmod 600 ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CANARY           | line 1 of the config file | is not of the form key = value",
        "= CANARY         | line 1 of the config file | is not of the form key = value",
        "pasword = CANARY | line 1 of the config file | has an unknown key; the keys are: store, user,",
        "user =           | line 1 of the config file | sets user to nothing, or twice"
      })
  void a_config_file_that_cannot_be_understood_is_refused(String line, String where, String why)
      throws Exception {
    config(line + "\n", "rw-------");
    refused(where);
    refused(why);
  }

  @Test
  void a_config_file_with_two_passwords_is_refused() throws Exception {
    config("password = CANARY\npassword-file = x\n", "rw-------");
    refused("has both password and password-file; remove one of them");
  }

  @Test
  void a_config_file_that_is_a_directory_is_refused() throws Exception {
    Files.createDirectory(directory.resolve("holdfast/config"));
    refused("cannot read the config file");
  }

  @Test
  void a_password_file_must_be_there_and_hold_a_line_of_text() throws Exception {
    Path file = directory.resolve("password");
    passwordFileRefused(file, "(there is no such file); check its path");
    file("password", "\nCANARY\n", "rw-------");
    passwordFileRefused(file, "is empty");
    Files.write(file, new byte[] {(byte) 0xc3, 0x28});
    passwordFileRefused(file, "is not text in UTF-8");
    Files.writeString(file, "x".repeat(5000));
    passwordFileRefused(file, "is longer than 4096 bytes; is it the right one?");
  }

  @ParameterizedTest
  @CsvSource({
    "rw-r--r--, can be read by others; run: chmod 600",
    "rw-r-----, can be read by others; run: chmod 600",
    "rw----r--, can be read by others; run: chmod 600",
    "rw--w----, can be written by others; run: chmod go-w",
    "rw-----w-, can be written by others; run: chmod go-w"
  })
  void a_password_file_that_others_can_read_or_write_is_refused(String mode, String why)
      throws Exception {
    passwordFileRefused(file("password", "CANARY\n", mode), why);
    config("store = test-login:\npassword-file = ../password\n", "rw-------");
    refused(why);
  }

  @ParameterizedTest
  @CsvSource({"rw-rw----", "rw-r--rw-"})
  void a_config_file_that_others_can_write_is_refused(String mode) throws Exception {
    config("store = test-login:\n", mode);
    refused("holdfast/config can be written by others; run: chmod go-w ");
    login(null, null, "ls", "--store", "test-login:"); // where it is not read
  }

  @Test
  void the_permissions_of_a_file_count_that_the_config_file_is_a_link_to() throws Exception {
    Files.createSymbolicLink(
        directory.resolve("holdfast/config"),
        file("dotfile", "store = test-login:\n", "rw-r--r--"));
    login(null, null, "ls");
    file("dotfile", "store = test-login:\n", "rw-r--rw-");
    refused("can be written by others");
  }

  private void passwordFileRefused(Path file, String why) {
    InProcess result = InProcess.run(variables, "ls", "--password-file", file.toString());
    assertThat(result.err).contains(file.toString(), why).hasLineCount(1).doesNotContain("CANARY");
    assertThat(result.exitCode).isEqualTo(ExitCodes.USAGE);
  }

  private void config(String text, String mode) throws Exception {
    file("holdfast/config", text, mode);
  }

  private Path file(String name, String text, String mode) throws Exception {
    Path file = Files.writeString(directory.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private void login(String user, String password, String... args) {
    InProcess result = InProcess.run(variables, args);
    assertThat(result.exitCode).as(result.err).isZero();
    assertThat(TestStores.lastCredentials.user()).isEqualTo(user);
    assertThat(TestStores.lastCredentials.password()).isEqualTo(password);
  }

  private void refused(String why) {
    InProcess result = InProcess.run(variables, "ls");
    assertThat(result.err).contains(why).hasLineCount(1).doesNotContain("CANARY");
    assertThat(result.exitCode).isEqualTo(ExitCodes.USAGE);
  }
}
