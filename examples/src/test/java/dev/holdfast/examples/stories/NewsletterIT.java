package dev.holdfast.examples.stories;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@NeedsServer(Server.REDIS)
class NewsletterIT {

  @Test
  void three_servers_send_one_mail() throws Exception {
    AtomicInteger mails = new AtomicInteger();
    String day = UUID.randomUUID().toString();
    for (int server = 0; server < 3; server++) {
      try (Holdfast locks = Holdfast.connect(RedisServer.shared().url())) {
        boolean sent = new Newsletter(locks, mails::incrementAndGet).send(day);
        assertThat(sent).isEqualTo(server == 0);
      }
    }
    assertThat(mails).hasValue(1);
  }
}
