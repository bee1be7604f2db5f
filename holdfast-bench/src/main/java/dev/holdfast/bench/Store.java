package dev.holdfast.bench;

import dev.holdfast.bench.contender.Contender;
import java.util.List;

/** A kind of server that locks are kept on, and who keeps locks there. */
public interface Store {

  /** As on the command line. */
  String name();

  /** Whether the server tells a client when its turn has come; otherwise clients have to ask. */
  boolean pushes();

  /** How requests are told apart on the wire. */
  Framing framing();

  /** All who take part, Holdfast first. */
  List<Contender> contenders();

  /** Starts a server that nobody else uses. */
  Site start() throws Exception;

  /** Whether the workload of this name makes sense here. */
  default boolean offers(String workload) {
    return true;
  }

  /** The contender of this name. */
  default Contender contender(String label) {
    return contenders().stream()
        .filter(contender -> contender.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("nobody is called " + label));
  }
}
