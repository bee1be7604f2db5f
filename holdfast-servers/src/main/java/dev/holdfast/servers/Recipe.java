package dev.holdfast.servers;

import java.nio.file.Path;
import java.util.List;

/** What is particular to one kind of server; {@link ServerProcess} does the rest. */
interface Recipe {

  /** What messages and folders call it. */
  String name();

  /** Makes the empty data folder ready, once, before the first start. */
  default void prepare(Path data) throws Exception {}

  /** The command that runs the server in the foreground. Asked before each start. */
  List<String> command(Path data, int port) throws Exception;

  /** Really talks to the server; throws as long as it does not serve. */
  void ask(int port) throws Exception;

  /**
   * Whether it makes sure of each write, and keeps so little that memory can hold it: then it need
   * not wait for a disk. What was written outlives the server, but not the machine.
   */
  default boolean keepsLittle() {
    return false;
  }

  /** Whether it has to be run by somebody else if we are root. */
  default boolean refusesRoot() {
    return false;
  }

  /** The signal that ends it fast. KILL unless the server would leave something behind. */
  default String stopSignal() {
    return "KILL";
  }
}
