package dev.holdfast.redis;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ForeignTextContract;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;

@NeedsServer(Server.REDIS)
class RedisForeignTextIT extends ForeignTextContract {

  /** Where the owner is in the record of a lock with one claim; the value follows it. */
  private static final int OWNER = 14;

  private final RedisFixture fixture = new RedisFixture(RedisServer.shared().url());

  @AfterEach
  void close() {
    fixture.close();
  }

  @Override
  protected LockStore open() {
    return fixture.open();
  }

  @Override
  protected void overwrite(String lock, String owner, String value) {
    String key = "holdfast:{" + lock + "}";
    String[] fields =
        ((String) RedisServer.shared().command("HGET", key, "lock")).split(" ", OWNER + 1);
    String record = String.join(" ", Arrays.copyOf(fields, OWNER)) + " " + owner + " " + value;
    RedisServer.shared().command("HSET", key, "lock", record);
  }
}
