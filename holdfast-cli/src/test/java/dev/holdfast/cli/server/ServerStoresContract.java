package dev.holdfast.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.SecretUrl;
import dev.holdfast.cli.VisibleOutput;
import dev.holdfast.cli.output.ExitCodes;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an operator does with a store on a server, with a password that no argument shows. */
abstract class ServerStoresContract {

  @RegisterExtension final Cli cli = new Cli();

  /** Without user and password. */
  abstract String url();

  /** Empty if the store has no users. */
  /** The same with a password in it, which is percent-encoded. */
  abstract String url(String password);

  abstract String user();

  abstract String password();

  @Test
  void a_command_runs_under_the_lock_with_a_rising_token() throws Exception {
    CliProcess first = start(password(), "run", "nightly", "--", "printenv", "HOLDFAST_TOKEN");
    assertThat(first.exitCode()).as(first.err()).isZero();
    assertThat(first.err()).isEmpty();
    CliProcess second = start(password(), "run", "nightly", "--", "printenv", "HOLDFAST_TOKEN");
    assertThat(second.exitCode()).isZero();
    assertThat(Long.parseLong(second.out().strip()))
        .isGreaterThan(Long.parseLong(first.out().strip()));
  }

  @Test
  void a_lock_is_held_over_several_commands_by_its_handle() throws Exception {
    CliProcess acquire = start(password(), "acquire", "deploy");
    assertThat(acquire.exitCode()).as(acquire.err()).isZero();
    assertThat(start(password(), "run", "-n", "deploy", "--", "true").exitCode())
        .isEqualTo(ExitCodes.BUSY);
    CliProcess list = start(password(), "ls", "--json");
    assertThat(list.exitCode()).isZero();
    assertThat(list.out()).contains("\"deploy\"");
    Map<String, String> variables = new HashMap<>(variables(password()));
    variables.put("HOLDFAST_HANDLE", acquire.out().strip());
    assertThat(cli.start(variables, "renew").exitCode()).isZero();
    assertThat(cli.start(variables, "release").exitCode()).isZero();
    assertThat(start(password(), "run", "-n", "deploy", "--", "true").exitCode()).isZero();
  }

  @Test
  void the_doctor_reaches_it() throws Exception {
    CliProcess doctor = start(password(), "doctor");
    assertThat(doctor.exitCode()).as(doctor.out() + doctor.err()).isIn(0, 1);
    assertThat(doctor.out()).contains(url().replaceFirst("\\?.*", ""));
    assertThat(doctor.out() + doctor.err()).doesNotContain(password());
  }

  @Test
  void a_password_is_read_from_a_file() throws Exception {
    Files.writeString(cli.file("password"), password() + "\n");
    Files.setPosixFilePermissions(
        cli.file("password"), PosixFilePermissions.fromString("rw-------"));
    CliProcess run =
        cli.start(
            variables(null), "run", "--password-file", "password", "nightly", "--", "echo", "ran");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).isEqualTo("ran\n");
  }

  @Test
  void a_wrong_password_is_said_in_one_line_that_does_not_hold_it() throws Exception {
    CliProcess run = start("not-the-one", "run", "nightly", "--", "true");
    assertThat(run.exitCode()).isEqualTo(ExitCodes.STORE_UNREACHABLE);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).doesNotContain("not-the-one").contains("password");
  }

  @Test
  void neither_the_server_nor_its_driver_repeats_a_wrong_password() {
    try (VisibleOutput told = new VisibleOutput()) {
      for (String secret : SecretUrl.SECRETS) {
        String encoded = URLEncoder.encode(secret, StandardCharsets.UTF_8).replace("+", "%20");
        refused(told, secret, Holdfast.builder().store(url(encoded)));
        String user = user().isEmpty() ? null : user();
        refused(told, secret, Holdfast.builder().store(url()).credentials(user, secret));
      }
    }
  }

  private void refused(VisibleOutput told, String secret, Holdfast.Builder builder) {
    StoreException refusal = catchThrowableOfType(StoreException.class, builder::build);
    assertThat(refusal).isNotNull();
    told.tell(refusal);
    assertThat(VisibleOutput.leaks(withoutNames(told.text()), secret)).isEmpty();
  }

  /** Random names of the user and the database may have three letters of a secret in a row. */
  private String withoutNames(String text) {
    String database = url().replaceFirst("\\?.*", "").replaceFirst(".*/", "");
    String rest = database.isEmpty() ? text : text.replace(database, "(database)");
    return user().isEmpty() ? rest : rest.replace(user(), "(user)");
  }

  private CliProcess start(String password, String... args) {
    return cli.start(variables(password), args);
  }

  private Map<String, String> variables(String password) {
    Map<String, String> variables = new HashMap<>(Map.of("HOLDFAST_STORE", url()));
    if (!user().isEmpty()) {
      variables.put("HOLDFAST_STORE_USER", user());
    }
    if (password != null) {
      variables.put("HOLDFAST_STORE_PASSWORD", password);
    }
    return variables;
  }
}
