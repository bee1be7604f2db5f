package dev.holdfast.servers.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback interface, below those that the system gives to outgoing connections:
 * one of these could otherwise sit on a server's port while it is down. Thread-safe.
 *
 * <p>A port is ours long before its server listens, and while it is down. So JVMs that run tests
 * side by side tell each other: each port that is given is a byte of one file, locked for as long
 * as the JVM lives. Programs that know nothing of that may still be faster, so a start that fails
 * is tried again with another port, unless others already know it.
 */
public final class Ports {

  private static final int FIRST = 12_000;
  private static final int LAST = 30_000;

  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();
  private static final FileChannel TAKEN = open();

  private Ports() {}

  /** A port on which nothing listens and which no live process has reserved. */
  public static int free() {
    for (int attempt = 0; attempt < 1_000; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (GIVEN.add(port) && take(port) && isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port between " + FIRST + " and " + LAST);
  }

  private static FileChannel open() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "holdfast-ports-" + System.getProperty("user.name"));
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot tell other JVMs which ports are taken", e);
    }
  }

  /** Returns whether no other JVM has it; then none gets it as long as this one lives. */
  public static boolean take(int port) {
    try {
      return TAKEN.tryLock(port, 1, false) != null;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot take port " + port, e);
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(false);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
