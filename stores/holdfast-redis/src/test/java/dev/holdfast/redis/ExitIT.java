package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.JavaProcess;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A process that has closed its leases, but not its client, leaves no claim behind. */
@NeedsServer(Server.REDIS)
class ExitIT {

  private final String url = RedisServer.shared().url();
  private final Holdfast other = Holdfast.connect(url);

  @AfterEach
  void close() {
    other.close();
  }

  private JavaProcess keeping() {
    JavaProcess process = JavaProcess.start(ComingBack.class, Map.of(ComingBack.URL, url));
    process.await("keeps");
    assertThat(other.inspect(ComingBack.LOCK).holders().get(0).keepable()).isTrue();
    return process;
  }

  @Test
  void exit_gives_kept_claims_back() {
    try (JavaProcess process = keeping()) {
      process.say("exit");
      assertThat(process.awaitEnd()).isZero();
      assertThat(other.inspect(ComingBack.LOCK).isHeld()).isFalse();
    }
  }

  @Test
  void a_signal_to_end_gives_kept_claims_back() {
    try (JavaProcess process = keeping()) {
      process.terminate();
      assertThat(other.inspect(ComingBack.LOCK).isHeld()).isFalse();
    }
  }
}
