package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.FailedConnectContract;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Logged;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.logging.Level;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logins by JAAS: to a server that requires one, and with the JAAS file of another program. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class SaslIT {

  private static final String JAAS = "java.security.auth.login.config";

  /** Keeps clients and servers of 3.9 from DIGEST-MD5 unless it is turned off. */
  private static final String FIPS = "zookeeper.fips-mode";

  @TempDir private static Path folder;

  private static ZooKeeperServer server;
  private static Path file;

  private final ZooKeeperScene scene = new ZooKeeperScene();

  @BeforeAll
  static void start() throws Exception {
    file = folder.resolve("jaas.conf");
    Files.writeString(
        file,
        "Server { " + DigestLoginModule.class.getName() + " required user_ann=\"secret\"; };");
    server =
        ZooKeeperServer.startWithLogins(
            file,
            "authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
            "fips-mode=false",
            "enforce.auth.enabled=true",
            "enforce.auth.schemes=sasl");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void forget() {
    scene.close();
    System.clearProperty(JAAS);
    System.clearProperty(FIPS);
    Configuration.setConfiguration(null);
  }

  @Test
  void a_login_protects_the_locks() throws Exception {
    logInAs("ann", "secret");
    LockStore store = scene.openAs(server.url() + "?session-timeout=10s&acl=creator");
    Claim claim = mutex(ZooKeeperScene.name());

    granted(store, claim);

    try (ZooKeeper ann = ZooKeeperScene.operator(server.connectString())) {
      assertThat(ann.getACL(NodePaths.container(claim.lock()), null))
          .extracting(ACL::getId)
          .containsExactly(new Id("sasl", "ann"));
    }
    assertThat(standing(store, claim)).isInstanceOf(Granted.class);
    assertThat(leave(store, claim)).isEqualTo(Left.LEFT);
  }

  @Test
  void a_wrong_password_is_refused() {
    logInAs("ann", "wrong");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(server.url()))
        .withMessageContaining("refused the user or the password")
        .withMessageNotContaining("wrong");
  }

  @Test
  void a_wrong_password_leaves_no_thread() {
    logInAs("ann", "wrong");

    FailedConnectContract.nobodyIsLeft(server.url());
  }

  @Test
  void a_mechanism_that_the_client_may_not_use_is_reported_at_once() {
    logInAs("ann", "secret");
    System.clearProperty(FIPS);

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(server.url()))
        .withMessageContaining("refused the user or the password");
  }

  @Test
  void a_client_without_a_login_is_refused() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(server.url()))
        .withMessageContaining(server.url());
  }

  /** Any program that logs in to something else, with Kafka's client for example. */
  @Test
  void a_jaas_file_without_a_section_for_zookeeper_is_no_obstacle() throws Exception {
    System.setProperty(JAAS, file.toString());
    LockStore store = scene.open(ZooKeeperServer.shared().url());

    granted(store, mutex(ZooKeeperScene.name()));
  }

  @Test
  void a_jaas_file_that_turns_up_later_ends_no_session() throws Exception {
    try (TcpProxy network = TcpProxy.to("127.0.0.1", ZooKeeperServer.shared().port());
        Logged logged = Logged.by(Session.class, Level.WARNING)) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      Claim claim = mutex(ZooKeeperScene.name());
      long token = granted(store, claim);
      System.setProperty(JAAS, file.toString());

      network.cut();
      network.heal();

      eventually()
          .untilAsserted(() -> assertThat(standing(store, claim)).isEqualTo(new Granted(token)));
      assertThat(logged.texts()).noneMatch(text -> text.contains("is over"));
    }
  }

  private static void logInAs(String user, String password) {
    System.setProperty(FIPS, "false");
    Map<String, String> options = Map.of("username", user, "password", password);
    AppConfigurationEntry entry =
        new AppConfigurationEntry(
            DigestLoginModule.class.getName(), LoginModuleControlFlag.REQUIRED, options);
    Configuration.setConfiguration(
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String section) {
            return section.equals("Client") ? new AppConfigurationEntry[] {entry} : null;
          }
        });
  }

  private static void open(String url) {
    try (Ticker ticker = Ticker.system("sasl")) {
      StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(10));
      new ZooKeeperProvider().open(url + "?acl=creator", settings).close();
    }
  }
}
