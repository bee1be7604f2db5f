package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.KeyWatches.Listener;
import dev.holdfast.leased.KeyWatches.Target;
import dev.holdfast.servers.EtcdServer;
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
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.FailedConnectContract;
import dev.holdfast.testkit.store.Ask;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthUserChangePasswordRequest;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that requires a user, with the permissions that the documentation names. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class LoginIT {

  private final String password = UUID.randomUUID().toString();
  private final String ofRoot = UUID.randomUUID().toString();
  private final Ticker ticker = Ticker.system("login-it");
  private EtcdServer server;

  @BeforeEach
  void start() throws IOException {
    server = EtcdServer.start();
    post("user/add", "{\"name\":\"root\",\"password\":\"" + ofRoot + "\"}");
    post("user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
    post("role/add", "{\"name\":\"locks\"}");
    post(
        "role/grant",
        "{\"name\":\"locks\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\""
            + base64("holdfast/")
            + "\",\"range_end\":\""
            + base64("holdfast0")
            + "\"}}");
    post("user/add", "{\"name\":\"ann\",\"password\":\"" + password + "\"}");
    post("user/grant", "{\"user\":\"ann\",\"role\":\"locks\"}");
    post("enable", "{}");
  }

  @AfterEach
  void stop() {
    ticker.close();
    server.close();
  }

  @Test
  void a_user_with_rights_on_the_prefix_can_use_every_verb() {
    try (LockStore store = open("", new Credentials("ann", password))) {
      Claim claim = Ask.mutex("lock");
      Claim next = Ask.mutex("lock");
      AtomicInteger hints = new AtomicInteger();
      store.observe("lock", hints::incrementAndGet);
      long token = Ask.granted(store, claim).token();
      assertThat(Ask.queue(store, next)).isInstanceOf(Queued.class);

      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
      assertThat(Ask.of(store.list("", 10))).hasSize(1);
      assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
      Awaitility.await().until(() -> hints.get() > 0);
      assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);
      assertThat(Ask.of(store.evict("lock", LockStore.ANY_TOKEN))).isTrue();
      assertThat(Ask.leave(store, Departure.withTombstone(claim), Deadlines.far()))
          .isEqualTo(Left.GONE);
      assertThat(Ask.of(store.diagnose()).findings())
          .contains(Finding.ok("requests carry a user"))
          .noneMatch(finding -> finding.severity() == Finding.Severity.DANGER);
    }
  }

  @Test
  void a_client_logs_in_again_when_its_token_has_expired() {
    try (LockStore store = open("", new Credentials("ann", password))) {
      Claim claim = Ask.mutex("lock");
      long token = Ask.granted(store, claim).token();

      server.restart();

      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
    }
  }

  @Test
  void a_hanging_member_does_not_prevent_the_log_in() throws IOException {
    try (ServerSocket hanging = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String hosts = "etcd://127.0.0.1:" + hanging.getLocalPort() + ",127.0.0.1:" + server.port();
      try (LockStore store =
          new EtcdProvider()
              .open(
                  hosts,
                  new StoreSettings(
                      ticker, Duration.ofSeconds(10), new Credentials("ann", password)))) {
        assertThat(Ask.granted(store, Ask.mutex("lock")).token()).isPositive();
      }
    }
  }

  @Test
  void a_watch_that_is_not_permitted_disturbs_no_other() {
    Channels members = EtcdAddress.parse(server.url(), Credentials.none()).connect();
    StoreSettings ann =
        new StoreSettings(ticker, Duration.ofSeconds(20), new Credentials("ann", password));
    EtcdWatches watches = new EtcdWatches(new Calls("etcd:", members, ann), new Keys("holdfast/"));
    Reports permitted = new Reports();
    watches.add(permitted, new Target("x", "holdfast/x"), 1);
    for (int i = 0; i < 3; i++) {
      Reports strange = new Reports();
      watches.add(strange, new Target("x", "strange"), 1);
      Awaitility.await().until(() -> strange.refused.get() == 1);
    }

    assertThat(permitted.interrupted.get()).isLessThanOrEqualTo(1); // for another login
    assertThat(permitted.refused).hasValue(0);
    watches.close();
    members.close();
  }

  /** Counts what a watch reports. */
  private static final class Reports implements Listener {
    private final AtomicInteger interrupted = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    @Override
    public void deleted(String key) {}

    @Override
    public void changed(StoredKey now) {}

    @Override
    public void interrupted() {
      interrupted.incrementAndGet();
    }

    @Override
    public void missed() {}

    @Override
    public void refused() {
      refused.incrementAndGet();
    }
  }

  @Test
  void a_waiter_is_woken_though_its_watches_were_begun_under_a_name_that_is_forgotten() {
    try (LockStore store = open("", new Credentials("ann", password))) {
      Ask.granted(store, Ask.mutex("other"));
      Ask.queue(store, Ask.mutex("other")); // begins to watch
      Claim claim = Ask.mutex("lock");
      Ask.granted(store, claim);
      AtomicInteger hints = new AtomicInteger();
      store.observe("lock", hints::incrementAndGet);

      forgetAnn();
      Claim next = Ask.mutex("lock");
      assertThat(Ask.queue(store, next)).isInstanceOf(Queued.class);
      // Perhaps it cannot be watched at first and looks for itself, but not again and again.
      for (int i = 0; i < 10; i++) {
        assertThat(Ask.refresh(store, next)).isInstanceOf(Queued.class);
      }
      int before = hints.get();
      assertThat(before).isLessThan(5);

      Ask.leave(store, claim);
      Awaitility.await().until(() -> hints.get() > before);
    }
  }

  /** Changes her password to what it was: that ends all her tokens. */
  private void forgetAnn() {
    String host = server.url().substring("etcd://".length());
    ManagedChannel channel =
        Grpc.newChannelBuilder(host, InsecureChannelCredentials.create()).build();
    try {
      AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(channel);
      Metadata token = new Metadata();
      token.put(
          Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER),
          auth.authenticate(
                  AuthenticateRequest.newBuilder().setName("root").setPassword(ofRoot).build())
              .getToken());
      auth.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token))
          .userChangePassword(
              AuthUserChangePasswordRequest.newBuilder()
                  .setName("ann")
                  .setPassword(password)
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void a_wrong_password_is_refused_in_one_line_that_does_not_show_it() {
    assertThatThrownBy(() -> open("", new Credentials("ann", "wrong-" + password)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("authentication failed")
        .hasMessageNotContaining(password);
  }

  @Test
  void a_wrong_password_leaves_no_thread() {
    FailedConnectContract.nobodyIsLeft(server.url().replace("://", "://ann:wrong@"));
  }

  @Test
  void no_request_is_accepted_without_a_user() {
    assertThatThrownBy(() -> open("", Credentials.none()))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching("Cannot use etcd://127.0.0.1:[0-9]+: etcdserver: user name is empty");
  }

  @Test
  void a_user_without_rights_on_the_prefix_is_refused() {
    assertThatThrownBy(() -> open("?prefix=other/", new Credentials("ann", password)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("permission denied");
  }

  private LockStore open(String parameters, Credentials credentials) {
    return new EtcdProvider()
        .open(
            server.url() + parameters,
            new StoreSettings(ticker, Duration.ofSeconds(15), credentials));
  }

  private void post(String what, String json) throws IOException {
    server.post("/v3/auth/" + what, json);
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
