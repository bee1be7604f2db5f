package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server that checks tokens, and a token with no more rights than the documentation names. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class LoginIT {

  private static final String MASTER = UUID.randomUUID().toString();
  private static final String RULES =
      "key_prefix \"holdfast/\" { policy = \"write\" } session_prefix \"\" { policy = \"write\" }";
  private static final Ticker TICKER = Ticker.system("login-it");

  private static ConsulServer server;

  @BeforeAll
  static void start() {
    server =
        ConsulServer.start(
            "{\"acl\": {\"enabled\": true, \"default_policy\": \"deny\", \"policy_ttl\": \"0s\","
                + " \"token_ttl\": \"0s\", \"tokens\": {\"master\": \""
                + MASTER
                + "\"}}}");
  }

  @AfterAll
  static void stop() {
    TICKER.close();
    server.close();
  }

  @Test
  void a_token_with_the_documented_rights_can_use_every_verb() throws Exception {
    String lock = Ask.name();
    try (LockStore store = open(token(policy(RULES)))) {
      Claim claim = Ask.mutex(lock);
      Claim next = Ask.mutex(lock);
      AtomicInteger hints = new AtomicInteger();
      store.observe(lock, hints::incrementAndGet);
      long token = Ask.granted(store, claim).token();
      assertThat(Ask.queue(store, next)).isInstanceOf(Queued.class);

      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
      assertThat(Ask.of(store.list(lock, 10))).hasSize(1);
      assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
      Awaitility.await().until(() -> hints.get() > 0);
      assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);
      assertThat(Ask.of(store.evict(lock, LockStore.ANY_TOKEN))).isTrue();
      assertThat(Ask.of(store.leave(List.of(Departure.withTombstone(claim)), Deadlines.far())))
          .containsValue(Left.GONE);
      assertThat(Ask.of(store.diagnose()).findings())
          .extracting(Finding::message)
          .anyMatch(message -> message.contains("agent:read"));
    }
  }

  @Test
  void an_unknown_token_is_refused_in_one_line_that_does_not_show_it() {
    String wrong = UUID.randomUUID().toString();

    assertThatThrownBy(() -> open(wrong))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("ACL not found")
        .hasMessageNotContaining(wrong);
  }

  @Test
  void without_a_token_nothing_is_allowed() {
    assertThatThrownBy(() -> new ConsulProvider().open(server.url(), settings(Credentials.none())))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("Permission denied");
  }

  @Test
  void a_token_that_may_only_read_is_refused_when_the_store_is_opened() throws Exception {
    String token = token(policy("key_prefix \"holdfast/\" { policy = \"read\" }"));

    assertThatThrownBy(() -> open(token))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("Permission denied");
  }

  @Test
  void a_token_that_may_not_make_sessions_is_refused_with_the_first_lock() throws Exception {
    String token = token(policy("key_prefix \"holdfast/\" { policy = \"write\" }"));
    try (LockStore store = open(token)) {
      assertThatThrownBy(() -> Ask.join(store, Ask.mutex(Ask.name())))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("session")
          .hasMessageContaining("Permission denied");
    }
  }

  /** Without the right to read, Consul shows no keys, which says nothing about the lock. */
  @Test
  void a_holder_that_loses_its_rights_is_unknown_and_not_gone() throws Exception {
    String policy = policy(RULES);
    try (LockStore store = open(token(policy))) {
      Claim claim = Ask.mutex(Ask.name());
      long token = Ask.granted(store, claim).token();

      put("/v1/acl/policy/" + policy, policyBody("session_prefix \"\" { policy = \"write\" }"));
      assertThat(Ask.refresh(store, claim)).isInstanceOf(Unknown.class);

      put("/v1/acl/policy/" + policy, policyBody(RULES));
      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
    }
  }

  private static LockStore open(String token) {
    return new ConsulProvider().open(server.url(), settings(new Credentials(null, token)));
  }

  private static StoreSettings settings(Credentials credentials) {
    return new StoreSettings(TICKER, Duration.ofSeconds(10), credentials);
  }

  private static String policyBody(String rules) {
    JsonObject policy = new JsonObject();
    policy.addProperty("Name", "p" + UUID.randomUUID());
    policy.addProperty("Rules", rules);
    return policy.toString();
  }

  /** The id of a new policy. */
  private static String policy(String rules) throws Exception {
    return put("/v1/acl/policy", policyBody(rules)).get("ID").getAsString();
  }

  private static String token(String policy) throws Exception {
    return put("/v1/acl/token", "{\"Policies\": [{\"ID\": \"" + policy + "\"}]}")
        .get("SecretID")
        .getAsString();
  }

  private static JsonObject put(String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .header("X-Consul-Token", MASTER)
            .PUT(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(answer.body());
    }
    return JsonParser.parseString(answer.body()).getAsJsonObject();
  }
}
