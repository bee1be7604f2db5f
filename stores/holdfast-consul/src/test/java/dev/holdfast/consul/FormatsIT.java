package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Owner;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.store.Ask;
import org.junit.jupiter.api.Test;

/** Records of other versions in the queue. */
@NeedsServer(Server.CONSUL)
class FormatsIT {

  private final String lock = Ask.name();
  private final ConsulServer server = ConsulFixture.server();

  @Test
  void a_claim_of_the_version_before_is_respected() throws Exception {
    Owner owner = new Owner("host", 1, "thread", "client", "label");
    write("1 MUTEX 1 1 wait 30 1794798627962000 " + owner.encode());

    try (ConsulFixture fixture = new ConsulFixture(server.url(), () -> {});
        LockStore store = fixture.open()) {
      assertThat(Ask.join(store, Ask.mutex(lock))).isEqualTo(new Busy(owner));
      assertThat(Ask.queue(store, Ask.mutex(lock))).isEqualTo(new Queued(1));
    }
  }

  @Test
  void a_claim_of_a_newer_version_that_waits_ends_no_keepable_claim() throws Exception {
    Claim holder = Ask.mutex(lock).keepable(true);
    try (ConsulFixture fixture = new ConsulFixture(server.url(), () -> {});
        LockStore store = fixture.open()) {
      long token = Ask.granted(store, holder).token();

      write("3 SOMETHING new");

      for (boolean keepable : new boolean[] {true, true, false}) {
        Granted granted = (Granted) Ask.refresh(store, holder.keepable(keepable));
        assertThat(granted.token()).isEqualTo(token);
        assertThat(granted.wanted()).isEqualTo(keepable);
      }
    }
  }

  private void write(String text) throws Exception {
    String key = new KeyPaths("holdfast/").queue(lock) + "someone";
    assertThat(server.put(KeyPaths.path(key), text).strip()).isEqualTo("true");
  }
}
