package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The samples of docs/stores/consul.md. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class ConsulSamplesIT {

  @Test
  void a_store_is_opened_by_its_url() throws Exception {
    try (ConsulServer server = ConsulServer.start()) {
      String url = server.url();
      // sample: connect
      Holdfast locks = Holdfast.connect(url); // consul://127.0.0.1:8500
      // end
      LockOptions options = LockOptions.defaults().label("billing-7");
      try (locks;
          Lease lease = locks.lock("invoice/42", options).acquire()) {
        assertThat(lease.isValid()).isTrue();
        assertThat(stored(server)).matches(shown());
      }
    }
  }

  @Test
  void a_token_is_passed_beside_the_url() throws Exception {
    String token = "7a4b5b2e-8d3c-4a51-9f6e-0c1d2e3f4a5b";
    String acl = "{\"enabled\": true, \"default_policy\": \"deny\", \"tokens\": {\"master\": \"";
    try (ConsulServer server = ConsulServer.start("{\"acl\": " + acl + token + "\"}}}")) {
      String url = server.url();
      // sample: token
      Holdfast locks = Holdfast.builder().store(url).credentials(null, token).build();
      // end
      try (locks;
          Lease lease = locks.lock("invoice/42").acquire()) {
        assertThat(lease.isValid()).isTrue();
      }
    }
  }

  /** As {@code consul kv get -recurse} prints it. */
  private static String stored(ConsulServer server) throws Exception {
    StoredKey only =
        Transaction.Result.keys(server.get("/v1/kv/holdfast/invoice/42@?recurse")).get(0);
    return only.key() + ":" + only.text();
  }

  /** The output in the documentation, where dots stand for any text. */
  private static String shown() throws Exception {
    Matcher block =
        Pattern.compile("consul kv get -recurse .*?```text\n(.*?)\n```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../../docs/stores/consul.md")));
    assertThat(block.find()).isTrue();
    return Pattern.quote(block.group(1)).replace("…", "\\E.*\\Q");
  }
}
