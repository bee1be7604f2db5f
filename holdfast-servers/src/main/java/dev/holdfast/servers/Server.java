package dev.holdfast.servers;

import java.util.Optional;

/** The kinds of server that tests need, and whether this machine has them. */
public enum Server {
  POSTGRESQL("postgres", true),
  MYSQL("mysqld", true),
  MARIADB("mariadbd", false),
  REDIS("redis-server", false),
  VALKEY("valkey-server", false),
  MEMCACHED("memcached", false),
  ZOOKEEPER("zookeeper", true),
  ETCD("etcd", false),
  CONSUL("consul", false);

  private final String program;
  private final boolean carriedByMaven;

  Server(String program, boolean carriedByMaven) {
    this.program = program;
    this.carriedByMaven = carriedByMaven;
  }

  /** The URL of a server that is there already and that tests may share, if one was given. */
  Optional<String> url() {
    return Optional.ofNullable(System.getenv(variable())).filter(url -> !url.isBlank());
  }

  /**
   * Why tests that share a server, or want one of their own, cannot run here; empty if they can.
   */
  Optional<String> missing(boolean ofItsOwn) {
    boolean there =
        (!ofItsOwn && url().isPresent()) || carriedByMaven || Programs.find(program).isPresent();
    return there
        ? Optional.empty()
        : Optional.of(
            "no "
                + program
                + " on this machine"
                + (ofItsOwn ? "" : ", nor a URL in " + variable())
                + "; build/servers.sh says how to get it");
  }

  private String variable() {
    return "HOLDFAST_TEST_" + name() + "_URL";
  }
}
