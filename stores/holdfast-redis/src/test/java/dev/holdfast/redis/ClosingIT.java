package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.store.Ask;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lettuce warns of a connection that is closed twice; nobody should see that in a log. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class ClosingIT {

  private static final Logger LETTUCE = Logger.getLogger("io.lettuce");

  private final Queue<String> warnings = new ConcurrentLinkedQueue<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord message) {
          warnings.add(message.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private RedisServer server;
  private Level level;

  @BeforeEach
  void listen() {
    server = RedisServer.start();
    level = LETTUCE.getLevel();
    LETTUCE.setLevel(Level.WARNING); // other tests run without logs
    LETTUCE.addHandler(handler);
  }

  @AfterEach
  void stop() {
    LETTUCE.removeHandler(handler);
    LETTUCE.setLevel(level);
    server.close();
  }

  @Test
  void the_library_warns_of_nothing_when_a_client_closes() {
    try (RedisFixture fixture = new RedisFixture(server.url())) {
      for (int i = 0; i < 20; i++) {
        LockStore store = fixture.open();
        Ask.granted(store, Ask.mutex("lock " + i));
        store.close();
      }
    }
    Awaitility.await().until(() -> !connections().contains("name=holdfast"));

    assertThat(warnings).isEmpty();
  }

  @Test
  void nor_when_the_caller_shuts_its_own_client_down_next() {
    for (int i = 0; i < 20; i++) {
      RedisClient client = RedisClient.create();
      LockStore store =
          RedisLockStore.over(client, RedisURI.create(server.url()), RedisOptions.defaults());
      Ask.granted(store, Ask.mutex("lock " + i));
      store.close();
      client.shutdown(Duration.ZERO, Duration.ZERO);
    }

    assertThat(warnings).isEmpty();
  }

  private String connections() {
    return (String) server.command("CLIENT", "LIST");
  }
}
