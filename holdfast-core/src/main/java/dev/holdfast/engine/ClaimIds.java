package dev.holdfast.engine;

import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Unguessable ids of 128 bits. They are drawn in blocks: a draw for each would cost more than the
 * rest of an acquisition on the memory store. Any threads.
 */
final class ClaimIds {

  private static final int ID_BYTES = 16;
  private static final int ID_LENGTH = 2 * ID_BYTES;
  private static final int BLOCK = 256;

  private final SecureRandom random = generator();
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private String block = "";
  private int used;

  String next() {
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
}
