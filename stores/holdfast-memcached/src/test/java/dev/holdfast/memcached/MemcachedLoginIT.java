package dev.holdfast.memcached;

import static dev.holdfast.memcached.MemcachedScene.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Granted;
import dev.holdfast.testkit.FailedConnectContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that require a login. */
@NeedsServer(value = Server.MEMCACHED, ofItsOwn = true)
class MemcachedLoginIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @TempDir Path directory;

  @Test
  void user_and_password_come_beside_the_url_or_in_it() throws Exception {
    try (MemcachedServer server = withPassword();
        MemcachedScene beside =
            new MemcachedScene(server.url(), TIMEOUT, new Credentials("alice", "s3c:r@t"));
        MemcachedScene inside = new MemcachedScene(with(server, "alice:s3c:r%40t@"))) {
      assertThat(beside.join(claim("one"))).isInstanceOf(Granted.class);
      assertThat(inside.join(claim("two"))).isInstanceOf(Granted.class);
      assertThat(inside.store().toString()).isEqualTo(with(server, "alice:***@"));
    }
  }

  @Test
  void a_wrong_password_is_one_clear_line_without_it() throws Exception {
    try (MemcachedServer server = withPassword()) {
      assertThatThrownBy(() -> new MemcachedScene(with(server, "alice:wr0ng@")))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              server.url() + " refused the connection: wrong password or unknown user 'alice'")
          .hasMessageNotContaining("wr0ng");
      assertThatThrownBy(() -> new MemcachedScene(server.url()))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              server.url() + " refused the connection: the server requires a user and a password");
    }
  }

  @Test
  void a_wrong_password_leaves_no_thread() throws Exception {
    try (MemcachedServer server = withPassword()) {
      FailedConnectContract.nobodyIsLeft(with(server, "alice:wr0ng@"));
    }
  }

  @Test
  void a_server_that_does_not_ask_never_gets_the_password() throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        MemcachedScene store = new MemcachedScene(with(server, "alice:s3cret@"))) {
      assertThat(store.join(claim("one"))).isInstanceOf(Granted.class);
      assertThat(server.command("mg auth v")).isEqualTo("EN");
    }
  }

  private MemcachedServer withPassword() throws Exception {
    Path file = Files.writeString(directory.resolve("users"), "alice:s3c:r@t\n");
    return MemcachedServer.start("-Y", file.toString());
  }

  private static String with(MemcachedServer server, String login) {
    return server.url().replace("://", "://" + login);
  }
}
