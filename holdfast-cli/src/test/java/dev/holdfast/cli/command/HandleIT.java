package dev.holdfast.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockInfo;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.Terminal;
import dev.holdfast.cli.output.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** acquire, renew and release: a lock over several commands. */
class HandleIT {

  @RegisterExtension final Cli cli = new Cli();
  private @TempDir Path directory;
  private Map<String, String> variables;

  @BeforeEach
  void choose_a_store() {
    variables = new HashMap<>(Map.of("HOLDFAST_STORE", "sqlite:" + directory.resolve("locks.db")));
  }

  @Test
  void a_lock_is_held_over_several_commands_and_given_back() {
    variables.put("HOLDFAST_HANDLE", acquire("deploy"));
    InProcess other = InProcess.run(variables, "acquire", "-n", "deploy");
    assertThat(other.exitCode).isEqualTo(ExitCodes.BUSY);
    assertThat(other.out).isEmpty();
    assertThat(other.err).contains("gave up on 'deploy': held by holdfast acquire (host ");
    InProcess renewed = InProcess.run(variables, "renew");
    assertThat(renewed.exitCode).as(renewed.err).isZero();
    assertThat(renewed.out).contains("'deploy' (token ", "is yours for another 5 min");
    assertThat(look("deploy").isHeld()).isTrue();
    InProcess released = InProcess.run(variables, "release");
    assertThat(released.exitCode).as(released.err).isZero();
    assertThat(released.out).contains("'deploy' (token ", "is released");
    assertThat(look("deploy").isHeld()).isFalse();
  }

  @Test
  void a_handle_of_a_lock_that_is_over_is_76_and_leaves_the_next_holder_alone() {
    variables.put("HOLDFAST_HANDLE", acquire("deploy"));
    InProcess.run(variables, "break", "--yes", "deploy");
    acquire("deploy");
    for (String command : new String[] {"renew", "release"}) {
      InProcess late = InProcess.run(variables, command);
      assertThat(late.exitCode).isEqualTo(ExitCodes.LOST);
      assertThat(late.err).contains("another holder may be running. Stop writing").hasLineCount(1);
    }
    assertThat(look("deploy").isHeld()).isTrue();
  }

  @Test
  void renewing_restarts_the_whole_ttl() {
    variables.put("HOLDFAST_HANDLE", acquire("deploy", "--ttl", "1h"));
    Awaitility.await().until(() -> remaining("deploy").compareTo(Duration.ofHours(1)) < 0);
    Duration before = remaining("deploy");
    InProcess.run(variables, "renew");
    assertThat(remaining("deploy")).isGreaterThan(before);
  }

  @Test
  void the_handle_comes_from_a_variable_a_file_or_standard_input() throws Exception {
    Path file = directory.resolve("handle");
    Files.writeString(file, acquire("a") + "\n");
    assertThat(InProcess.run(variables, "renew", "--handle-file", file.toString()).exitCode)
        .isZero();
    InProcess fromInput =
        InProcess.runWithInput(Files.readString(file), variables, "release", "--handle-file", "-");
    assertThat(fromInput.exitCode).as(fromInput.err).isZero();
    assertThat(look("a").isHeld()).isFalse();
  }

  @Test
  void a_handle_as_an_argument_is_refused_and_not_repeated() {
    String handle = acquire("a");
    for (String command : new String[] {"renew", "release", "verify"}) {
      InProcess refused = InProcess.run(variables, command, handle);
      assertThat(refused.exitCode).isEqualTo(ExitCodes.USAGE);
      assertThat(refused.err).doesNotContain(LeaseHandle.parse(handle).claimId());
    }
    assertThat(InProcess.run(variables, "renew", handle).err)
        .contains("a handle is a secret", "HOLDFAST_HANDLE", "--handle-file")
        .hasLineCount(1);
    assertThat(look("a").isHeld()).isTrue();
  }

  @Test
  void what_is_no_handle_is_64_and_not_repeated() {
    variables.put("HOLDFAST_HANDLE", "hf2.CANARY");
    InProcess wrong = InProcess.run(variables, "renew");
    assertThat(wrong.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(wrong.err).contains("not a lease handle").doesNotContain("CANARY");
    assertThat(InProcess.run("release").err).contains("no handle given; acquire prints one");
    InProcess noFile = InProcess.run("release", "--handle-file", "/no/such/file");
    assertThat(noFile.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(noFile.err).contains("cannot read the handle from /no/such/file");
  }

  @Test
  void a_store_that_cannot_detach_refuses_before_anything_is_taken() {
    for (String url : new String[] {"test-tied:", "memory:"}) {
      InProcess refused = InProcess.run(Map.of("HOLDFAST_STORE", url), "acquire", "a");
      assertThat(refused.exitCode).isEqualTo(ExitCodes.USAGE);
      assertThat(refused.err)
          .contains(url + " ties a lock to the process that acquired it", "use holdfast run")
          .hasLineCount(1);
    }
  }

  @Test
  void export_prints_what_a_shell_can_evaluate_whatever_the_name_holds() throws Exception {
    String name = "it's $HOME `x`\n\"q\" \\";
    InProcess exported = InProcess.run(variables, "acquire", "--export", name);
    Process shell =
        new ProcessBuilder(
                "sh", "-c", exported.out + "printf '%s|%s' \"$HOLDFAST_LOCK\" \"$HOLDFAST_HANDLE\"")
            .start();
    String[] said = new String(shell.getInputStream().readAllBytes(), "UTF-8").split("\\|");
    assertThat(said[0]).isEqualTo(name);
    assertThat(LeaseHandle.parse(said[1]).lockName()).isEqualTo(name);
  }

  @Test
  void a_proof_holds_while_the_lock_does() {
    String json = InProcess.run(variables, "acquire", "--json", "deploy").out;
    String proof = json.replaceAll(".*\"proof\":\"([^\"]*)\".*\n", "$1");
    InProcess yes = InProcess.run(variables, "verify", proof);
    assertThat(yes.exitCode).isZero();
    assertThat(yes.out).startsWith("'deploy' is held by holdfast acquire (host ");
    InProcess.run(variables, "break", "-y", "deploy");
    InProcess no = InProcess.run(variables, "verify", proof);
    assertThat(no.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(no.out).contains("'deploy' is not held by holdfast acquire", "it is free by now");
  }

  @Test
  void run_gives_its_command_a_proof_that_verifies() throws Exception {
    String verify = CliProcess.shellLine(CliProcess.javaCommand("verify")) + " $HOLDFAST_PROOF";
    CliProcess run = cli.run(List.of(), "demo", verify);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("'demo' is held by sh (host ");
  }

  @Test
  void with_a_key_file_proofs_are_signed_and_others_are_refused() throws Exception {
    String keys = keyFile("keys", 'a');
    String plain = proof(InProcess.run(variables, "acquire", "--json", "deploy"));
    variables.put("HOLDFAST_KEY_FILE", keys);
    InProcess acquired = InProcess.run(variables, "acquire", "--json", "signed");
    String signed = proof(acquired);
    assertThat(signed).startsWith("hp2.signed.");
    assertThat(InProcess.run(variables, "verify", signed).exitCode).isZero();
    variables.put(
        "HOLDFAST_HANDLE", acquired.out.replaceAll(".*\"handle\":\"([^\"]*)\".*\n", "$1"));
    assertThat(proof(InProcess.run(variables, "renew", "--json"))).isEqualTo(signed);

    for (String untrusted : List.of(plain, signed.replace(".exclusive.", ".shared."))) {
      InProcess no = InProcess.run(variables, "verify", untrusted);
      assertThat(no.exitCode).isEqualTo(ExitCodes.NO);
      assertThat(no.out).contains("is not signed with a known key, or was altered");
      assertThat(InProcess.run(variables, "verify", "--json", untrusted).out)
          .contains("\"valid\":false");
    }
    String others = keyFile("others", 'b');
    InProcess no = InProcess.run(variables, "verify", "--key-file", others, signed);
    assertThat(no.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(
            InProcess.run(
                    Map.of("HOLDFAST_STORE", variables.get("HOLDFAST_STORE")), "verify", signed)
                .exitCode)
        .as("a verifier without keys accepts a signed proof too")
        .isZero();
  }

  @Test
  void a_key_file_that_others_can_read_is_refused_by_every_command_that_takes_one()
      throws Exception {
    String keys = keyFile("keys", 'a');
    Files.setPosixFilePermissions(Path.of(keys), PosixFilePermissions.fromString("rw-r--r--"));
    variables.put("HOLDFAST_KEY_FILE", keys);
    for (List<String> command :
        List.of(
            List.of("verify", "hp1.a.1.exclusive.h%3B1%3Bt%3Bc%3Bl"),
            List.of("acquire", "a"),
            List.of("run", "a", "--", "true"),
            List.of("elect", "a", "--", "true"))) {
      InProcess refused = InProcess.run(variables, command.toArray(String[]::new));
      assertThat(refused.exitCode).as("%s", command).isEqualTo(ExitCodes.USAGE);
      assertThat(refused.err).contains(keys, "chmod 600").doesNotContain("YWFh");
    }
  }

  @Test
  void run_signs_the_proof_of_its_command_when_it_has_a_key() throws Exception {
    String keys = keyFile("keys", 'a');
    String verify =
        CliProcess.shellLine(CliProcess.javaCommand("verify"))
            + " --key-file '"
            + keys
            + "' $HOLDFAST_PROOF";
    CliProcess run = cli.run(List.of("--key-file", keys), "demo", verify);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("'demo' is held by sh (host ");
    assertThat(cli.run(List.of(), "demo", verify).exitCode()).isEqualTo(ExitCodes.NO);
  }

  private static String proof(InProcess printed) {
    return printed.out.replaceAll(".*\"proof\":\"([^\"]*)\".*\n", "$1");
  }

  private String keyFile(String name, char secret) throws IOException {
    String encoded =
        Base64.getEncoder().encodeToString(String.valueOf(secret).repeat(32).getBytes(UTF_8));
    Path file = Files.writeString(directory.resolve(name), "k1:" + encoded + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file.toString();
  }

  @Test
  void a_lock_whose_handle_nobody_can_get_is_given_back() throws Exception {
    variables.put("HOLDFAST_STORE", cli.storeUrl());
    String acquire = Terminal.line(List.of("acquire", "deploy")) + " >/dev/full";
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", acquire)
            .directory(cli.directory().toFile())
            .redirectError(cli.file("error").toFile());
    builder.environment().put("HOLDFAST_STORE", cli.storeUrl());
    assertThat(builder.start().waitFor()).isEqualTo(ExitCodes.INTERNAL);
    assertThat(CliProcess.read(cli.file("error")))
        .isEqualTo("holdfast: the handle could not be printed, so 'deploy' was released\n");
    assertThat(look("deploy").isHeld()).isFalse();
  }

  @Test
  void a_signal_ends_the_wait_and_leaves_the_queue() throws Exception {
    variables.put("HOLDFAST_STORE", cli.storeUrl());
    acquire("deploy");
    CliProcess waiting = cli.start("acquire", "deploy").awaitErr("waiting for 'deploy'");
    waiting.signal("TERM");
    assertThat(waiting.exitCode()).isEqualTo(128 + 15);
    assertThat(look("deploy").waiters()).isEmpty();
  }

  private String acquire(String name, String... options) {
    String[] args = new String[options.length + 2];
    args[0] = "acquire";
    System.arraycopy(options, 0, args, 1, options.length);
    args[args.length - 1] = name;
    InProcess acquired = InProcess.run(variables, args);
    assertThat(acquired.exitCode).as(acquired.err).isZero();
    assertThat(acquired.out).hasLineCount(1);
    return acquired.out.strip();
  }

  private Duration remaining(String name) {
    return look(name).holders().get(0).remaining();
  }

  private LockInfo look(String name) {
    try (Holdfast locks = Holdfast.connect(variables.get("HOLDFAST_STORE"))) {
      return locks.inspect(name);
    }
  }
}
