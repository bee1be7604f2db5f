package dev.holdfast.servers;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

@NeedsServer(
    value = {Server.REDIS, Server.POSTGRESQL},
    ofItsOwn = true)
class ServerLifeIT {

  @Test
  void no_server_outlives_a_jvm_that_is_killed() throws Exception {
    Process jvm = jvm();
    List<ProcessHandle> servers = jvm.descendants().toList();
    assertThat(servers).hasSizeGreaterThan(1).allMatch(ProcessHandle::isAlive);
    jvm.destroyForcibly();
    for (ProcessHandle server : servers) {
      server.onExit().get(60, SECONDS);
    }
  }

  @Test
  void no_server_outlives_a_jvm_that_ends() throws Exception {
    Process jvm = jvm();
    List<ProcessHandle> servers = jvm.descendants().toList();
    jvm.getOutputStream().close();
    assertThat(jvm.waitFor(60, SECONDS)).isTrue();
    for (ProcessHandle server : servers) {
      server.onExit().get(60, SECONDS);
    }
  }

  @Test
  void nothing_is_left_of_a_server_that_was_closed() {
    Path data;
    try (RedisServer redis = RedisServer.start()) {
      data = redis.data();
      assertThat(data).isDirectory();
    }
    assertThat(data.getParent()).doesNotExist();
  }

  @Test
  void a_server_that_does_not_start_says_why() {
    assertThatThrownBy(() -> RedisServer.start("no-such-setting 1"))
        .hasMessageContaining("no-such-setting");
  }

  private static Process jvm() throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    assertThat(Files.isExecutable(java)).isTrue();
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                StartsServers.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    assertThat(reader.readLine()).isEqualTo("started");
    return process;
  }
}
