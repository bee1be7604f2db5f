package dev.holdfast.engine;

import dev.holdfast.Owner;
import dev.holdfast.engine.state.ClientState;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes the claims of a client, each with an unguessable id of 128 bits. Ids are drawn in blocks: a
 * draw for each would cost more than the rest of an acquisition on the memory store. Thread-safe.
 */
final class Claims implements ClientState.Claims {

  private static final String HOST = hostName();
  private static final int ID_BYTES = 16;
  private static final int ID_LENGTH = 2 * ID_BYTES;
  private static final int BLOCK = 256;

  private final String client;
  private final String clientName;
  private final long pid = ProcessHandle.current().pid();
  private final SecureRandom random = generator();
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private String block = "";
  private int used;

  Claims(String clientName) {
    this.client = nextId();
    this.clientName = clientName;
  }

  @Override
  public Claim make(Request request, int spares, long floor) {
    LockSpec spec = request.spec;
    String label = spec.options.label();
    return new Claim(
        nextId(),
        request.name,
        spec.kind,
        spec.weight,
        spec.capacity,
        new Owner(HOST, pid, request.threadName, client, label.isEmpty() ? clientName : label),
        spec.options.ttl(),
        spec.value,
        spares,
        floor);
  }

  private String nextId() {
    mutex.lock();
    try {
      if (used == block.length()) {
        byte[] bytes = new byte[BLOCK * ID_BYTES];
        random.nextBytes(bytes);
        block = HexFormat.of().formatHex(bytes);
        used = 0;
      }
      String id = block.substring(used, used + ID_LENGTH);
      used += ID_LENGTH;
      return id;
    } finally {
      mutex.unlock();
    }
  }

  /** The generator of NIST SP 800-90A: a quarter of the time of the platform's default. */
  private static SecureRandom generator() {
    try {
      return SecureRandom.getInstance("DRBG");
    } catch (NoSuchAlgorithmException notOnThisPlatform) {
      return new SecureRandom();
    }
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
