package dev.holdfast.servers;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.servers.process.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@NeedsServer(
    value = {Server.REDIS, Server.POSTGRESQL},
    ofItsOwn = true)
class ServerLifeIT {

  @Test
  void no_server_outlives_a_jvm_that_is_killed_and_the_next_jvm_tidies_up() throws Exception {
    Jvm killed = Jvm.start();
    List<ProcessHandle> servers = killed.servers();
    assertThat(servers).filteredOn(ProcessHandle::isAlive).hasSizeGreaterThan(1);
    killed.process().destroyForcibly().waitFor();
    for (ProcessHandle server : servers) {
      server.onExit().get(60, SECONDS);
    }
    Path undecided =
        Files.createDirectory(
            killed.folder().resolveSibling(killed.folder().getFileName() + "-unlocked"));

    FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
    Files.setLastModifiedTime(killed.folder(), longAgo);
    Files.setLastModifiedTime(undecided, longAgo);
    Jvm next = Jvm.start();
    assertThat(killed.folder()).doesNotExist();
    assertThat(undecided).doesNotExist();
    next.end();
  }

  @Test
  void no_server_outlives_a_jvm_that_ends() throws Exception {
    Jvm jvm = Jvm.start();
    List<ProcessHandle> servers = jvm.servers();
    jvm.end();
    for (ProcessHandle server : servers) {
      server.onExit().get(60, SECONDS);
    }
    assertThat(jvm.folder()).doesNotExist();
  }

  /** It may have stopped its server, to start it again. */
  @Test
  void a_port_of_another_jvm_is_not_given_while_that_jvm_lives() throws Exception {
    Jvm jvm = Jvm.start();
    jvm.servers().forEach(ProcessHandle::destroyForcibly);
    assertThat(Ports.take(jvm.port())).isFalse();
    jvm.end();
    assertThat(Ports.take(jvm.port())).isTrue();
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

  /** Another JVM that has started servers, and folder and port of one of them. */
  private record Jvm(Process process, Path folder, int port) {

    static Jvm start() throws IOException {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xshare:auto",
                  "-cp",
                  System.getProperty("java.class.path"),
                  StartsServers.class.getName())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      Path folder = Path.of(output.readLine()).getParent();
      int port = Integer.parseInt(output.readLine());
      assertThat(output.readLine()).isEqualTo("started");
      return new Jvm(process, folder, port);
    }

    List<ProcessHandle> servers() {
      return process.descendants().toList();
    }

    void end() throws IOException, InterruptedException {
      process.getOutputStream().close();
      assertThat(process.waitFor(60, SECONDS)).isTrue();
    }
  }
}
