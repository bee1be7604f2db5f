package dev.holdfast.bench.store;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Contender.Role;
import java.util.List;

/** A kind of server that keeps locks, and the contenders on it. */
public interface Store {

  /** As on the command line. */
  String name();

  /** As people write it. */
  String title();

  /** The same for all servers of its kind. */
  default String kind() {
    return title().replaceFirst(",.*", "");
  }

  /** Returns whether the server waits for its disk before it confirms. */
  default boolean isDurable() {
    return false;
  }

  /** Returns whether the server notifies clients whose turn has come; otherwise they poll. */
  boolean pushes();

  /** How requests are recognized on the wire. */
  Framing framing();

  /** All contenders, Holdfast first. */
  List<Contender> contenders();

  /** Starts a server for this run alone. */
  RunningServer start() throws Exception;

  /** Returns whether there are other libraries that keep locks here. */
  default boolean hasPeers() {
    return contenders().stream().anyMatch(one -> one.role() == Role.PEER);
  }

  /** Returns whether the workload of this name makes sense here. */
  default boolean offers(String workload) {
    return true;
  }

  /** The contender of this name. */
  default Contender contender(String label) {
    return contenders().stream()
        .filter(contender -> contender.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no contender is called " + label));
  }
}
