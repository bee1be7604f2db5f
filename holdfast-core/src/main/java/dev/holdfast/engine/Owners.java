package dev.holdfast.engine;

import dev.holdfast.Owner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Says who a client's claims belong to. */
final class Owners {

  private static final String HOST = hostName();

  private final String client;
  private final String clientName;
  private final long pid = ProcessHandle.current().pid();

  Owners(String client, String clientName) {
    this.client = client;
    this.clientName = clientName;
  }

  Owner of(String thread, String label) {
    return new Owner(HOST, pid, thread, client, label.isEmpty() ? clientName : label);
  }

  // The kernel knows its name at once; asking the resolver may take seconds.
  private static String hostName() {
    try {
      String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
      if (!name.isEmpty()) {
        return name;
      }
    } catch (IOException notLinux) {
      // ask below
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
