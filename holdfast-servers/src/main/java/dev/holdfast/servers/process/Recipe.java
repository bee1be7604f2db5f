package dev.holdfast.servers.process;

import java.nio.file.Path;
import java.util.List;

/** What differs between kinds of servers; {@link ServerProcess} does the rest. */
public interface Recipe {

  /** Its name in messages and folders. */
  String name();

  /** Prepares the empty data folder, once, before the first start. */
  default void prepare(Path data) throws Exception {}

  /** The command that runs the server in the foreground. Called before each start. */
  List<String> command(Path data, int port) throws Exception;

  /** Sends the server a real request; throws while it does not serve. */
  void ask(int port) throws Exception;

  /**
   * Returns whether it syncs each write, and its data fits into memory: then its folder is in
   * memory and need not wait for a disk. Data survives the server, but not the machine.
   */
  default boolean keepsLittle() {
    return false;
  }

  /** Returns whether it refuses to run as root, so that another user has to run it. */
  default boolean refusesRoot() {
    return false;
  }

  /** The signal that ends it fast: KILL, unless the server would leave something behind. */
  default String stopSignal() {
    return "KILL";
  }
}
