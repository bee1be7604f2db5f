package dev.holdfast.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ls, show, break, stores and version, on a store where the test itself holds a lock. */
class ListCommandsTest {

  private @TempDir Path directory;
  private Map<String, String> variables;
  private Holdfast locks;
  private Lease lease;

  @BeforeEach
  void holdALock() throws Exception {
    String url = "sqlite:" + directory.resolve("locks.db");
    variables = Map.of("HOLDFAST_STORE", url);
    locks = Holdfast.connect(url);
    lease = locks.lock("reports/nightly", LockOptions.defaults().label("the-holder")).acquire();
  }

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void ls_lists_locks_with_their_holders_and_tokens() {
    InProcess ls = InProcess.run(variables, "ls");
    assertThat(ls.exitCode).isZero();
    assertThat(ls.out.lines().findFirst())
        .hasValueSatisfying(l -> assertThat(l).startsWith("NAME"));
    assertThat(ls.out)
        .contains("reports/nightly", "the-holder", Long.toString(lease.token()))
        .doesNotContain("\u001b");
    assertThat(InProcess.run(variables, "ls", "reports/").out).contains("reports/nightly");
    InProcess none = InProcess.run(variables, "ls", "other/");
    assertThat(none.exitCode).isZero();
    assertThat(none.out).isEmpty();
    assertThat(none.err).contains("no lock is in use with that prefix");
  }

  @Test
  void ls_and_show_write_json_with_tokens_as_strings() {
    String token = "\"token\":\"" + lease.token() + "\"";
    assertThat(InProcess.run(variables, "ls", "--json").out)
        .startsWith("[{\"name\":\"reports/nightly\",\"kind\":\"mutex\",\"capacity\":1,")
        .contains(token)
        .endsWith("}]\n");
    assertThat(InProcess.run(variables, "ls", "--json", "other/").out).isEqualTo("[]\n");
    assertThat(InProcess.run(variables, "show", "--json", "reports/nightly").out)
        .startsWith("{\"name\":\"reports/nightly\"")
        .contains(token, "\"waiters\":[]");
    assertThat(InProcess.run(variables, "show", "free", "--json").out)
        .isEqualTo(
            "{\"name\":\"free\",\"kind\":\"mutex\",\"capacity\":1,\"holders\":[],\"waiters\":[]}\n");
  }

  @Test
  void show_names_the_holder_and_who_waits() {
    CompletableFuture<Lease> waiting;
    try (Holdfast other = Holdfast.connect(variables.get("HOLDFAST_STORE"))) {
      waiting =
          other.lock("reports/nightly", LockOptions.defaults().label("the-waiter")).acquireAsync();
      Awaitility.await()
          .atMost(CliProcess.PATIENCE)
          .until(() -> !locks.inspect("reports/nightly").waiters().isEmpty());
      InProcess show = InProcess.run(variables, "show", "reports/nightly");
      assertThat(show.out)
          .containsPattern("holds +the-holder")
          .containsPattern("waits +the-waiter");
    }
    Awaitility.await().atMost(CliProcess.PATIENCE).until(waiting::isDone); // by another thread
    assertThat(InProcess.run(variables, "show", "free").out).isEqualTo("'free' is free\n");
  }

  @Test
  void break_takes_the_lock_away_and_names_whom_it_was_taken_from() {
    InProcess broken = InProcess.run(variables, "break", "-y", "reports/nightly");
    assertThat(broken.exitCode).isZero();
    assertThat(broken.out).contains("'reports/nightly' was held by the", "and was broken");
    assertThat(locks.inspect("reports/nightly").isHeld()).isFalse();
    InProcess again = InProcess.run(variables, "break", "--yes", "--json", "reports/nightly");
    assertThat(again.exitCode).isZero();
    assertThat(again.out)
        .isEqualTo("{\"name\":\"reports/nightly\",\"broken\":false,\"holders\":[]}\n");
  }

  @Test
  void break_by_token_leaves_a_later_holder_alone_and_says_who_it_is() throws Exception {
    String old = Long.toString(lease.token());
    lease.close();
    lease = locks.lock("reports/nightly").acquire();
    String now = Long.toString(lease.token());

    InProcess late = InProcess.run(variables, "break", "-y", "--token", old, "reports/nightly");
    assertThat(late.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(late.out)
        .contains("token " + old + " does not hold 'reports/nightly', which is left alone")
        .contains("held by", "token " + now);
    InProcess json =
        InProcess.run(variables, "break", "-y", "--json", "--token", old, "reports/nightly");
    assertThat(json.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(json.out).contains("\"broken\":false", "\"token\":\"" + now + "\"");
    assertThat(locks.inspect("reports/nightly").isHeld()).isTrue();

    InProcess broken =
        InProcess.run(variables, "break", "--yes", "--token", now, "reports/nightly");
    assertThat(broken.exitCode).isZero();
    assertThat(broken.out).contains("and was broken (token " + now + ")");
    assertThat(locks.inspect("reports/nightly").isHeld()).isFalse();
    InProcess again = InProcess.run(variables, "break", "-y", "--token", now, "reports/nightly");
    assertThat(again.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(again.out).contains("'reports/nightly' is not held; there is nothing to break");
  }

  @Test
  void stores_lists_the_schemes_and_their_traits() {
    InProcess stores = InProcess.run(Map.of(), "stores");
    assertThat(stores.exitCode).isZero();
    assertThat(stores.out)
        .containsPattern("sqlite: +processes")
        .containsPattern("memory: +threads")
        .contains("docs/CHOOSING.md", "docs/MIGRATING.md");
    assertThat(InProcess.run(Map.of(), "stores", "--json").out)
        .contains("{\"url\":\"sqlite:\",\"module\":\"holdfast-jdbc\",\"traits\":{\"fair\":true,");
    String url = variables.get("HOLDFAST_STORE");
    assertThat(InProcess.run(Map.of(), "stores", "--store", url).out).contains(url);
  }

  @Test
  void version_tells_its_own_and_that_of_java() {
    String java = Runtime.version().toString();
    assertThat(InProcess.run("version").out).startsWith("holdfast ").contains(java);
    assertThat(InProcess.run("--version").out).isEqualTo(InProcess.run("version").out);
    assertThat(InProcess.run("version", "--json").out).contains("\"java\":\"" + java + "\"");
  }
}
