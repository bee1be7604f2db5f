package dev.holdfast.torture.store;

import java.util.Locale;

/** What the nemesis does. */
public enum FaultKind {
  WORKER_PAUSE(Lane.WORKER, "a worker is stopped (SIGSTOP), and goes on"),
  WORKER_KILL(Lane.WORKER, "a worker is killed (kill -9), and another begins in its place"),
  NETWORK_CUT(Lane.WORKER, "a worker's connections are reset, and new ones are refused"),
  NETWORK_HANG(Lane.WORKER, "nothing passes between a worker and the servers"),
  NETWORK_HALF_OPEN(Lane.WORKER, "a worker's requests arrive, and no answer comes back"),
  NETWORK_DELAY(Lane.WORKER, "all that a worker says and hears is late"),
  BREAK(Lane.OPERATOR, "an operator breaks a lock"),
  SERVER_PAUSE(Lane.SERVER, "a server is stopped, and goes on"),
  SERVER_KILL(Lane.SERVER, "a server is killed, and restarted later"),
  LEADER_PAUSE(Lane.SERVER, "the leader or master is stopped, and goes on"),
  LEADER_KILL(Lane.SERVER, "the leader or master is killed, and restarted later"),
  ALL_PAUSE(Lane.SERVER, "all servers are stopped, and go on"),
  ALL_RESTART(Lane.SERVER, "all servers are killed and restarted at once"),
  CLOCK_AHEAD(Lane.SERVER, "a server's wall clock is set ahead"),
  CLOCK_BACK(Lane.SERVER, "a server's wall clock is set back"),
  DISK_FULL(Lane.SERVER, "the servers' disk is full, and has room again");

  /** Faults of one lane come one after the other. */
  public enum Lane {
    /** One for each worker. */
    WORKER,
    /** One for all locks. */
    OPERATOR,
    /** One for all servers. */
    SERVER
  }

  private final Lane lane;
  private final String sentence;

  FaultKind(Lane lane, String sentence) {
    this.lane = lane;
    this.sentence = sentence;
  }

  public Lane lane() {
    return lane;
  }

  /** {@return what happens, in words} */
  public String sentence() {
    return sentence;
  }

  /** {@return the name in reports, such as "worker pause"} */
  public String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
