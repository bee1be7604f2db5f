package dev.holdfast.servers;

import dev.holdfast.servers.process.ShiftedClock;
import dev.holdfast.servers.program.Programs;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The kinds of server that tests need, and whether this machine has them. */
public enum Server {
  POSTGRESQL(PostgresServer::version),
  MYSQL(MySqlServer::version),
  MARIADB(() -> Programs.get("mariadbd")),
  REDIS(() -> Programs.get("redis-server")),
  /** With a clock that tests can set, for which a small library is compiled. */
  REDIS_WITH_CLOCK(() -> List.of(Programs.get("redis-server"), ShiftedClock.library())),
  VALKEY(() -> Programs.get("valkey-server")),
  MEMCACHED(() -> Programs.get("memcached")),
  ZOOKEEPER(() -> "on the class path"),
  ETCD(() -> Programs.get("etcd")),
  ETCD_35(() -> Programs.get("etcd-3.5")),
  CONSUL(() -> Programs.get("consul"));

  private final Callable<Object> probe;

  // Mutable state, guarded by this
  private boolean asked;
  private @Nullable String problem;

  Server(Callable<Object> probe) {
    this.probe = probe;
  }

  /** The URL of an existing server that tests may share, if one was given. */
  Optional<String> url() {
    return Optional.ofNullable(System.getenv(variable())).filter(url -> !url.isBlank());
  }

  /**
   * The reason why tests that share a server, or need one alone, cannot run here; empty if they
   * can.
   */
  Optional<String> missing(boolean ofItsOwn) {
    if (!ofItsOwn && url().isPresent()) {
      return Optional.empty();
    }
    return Optional.ofNullable(problem())
        .map(why -> ofItsOwn ? why : why + "; nor is there a URL in " + variable());
  }

  private synchronized @Nullable String problem() {
    if (!asked) {
      try {
        probe.call();
      } catch (Exception e) {
        problem = String.valueOf(e.getMessage()).replace('\n', ' ');
      }
      asked = true;
    }
    return problem;
  }

  private String variable() {
    return "HOLDFAST_TEST_" + name() + "_URL";
  }
}
