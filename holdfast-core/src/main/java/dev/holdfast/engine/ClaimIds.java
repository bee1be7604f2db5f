package dev.holdfast.engine;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Unguessable ids of 128 bits. Random bytes are drawn in blocks: one draw for each id would cost
 * more than an acquisition on the memory store. Any threads.
 */
final class ClaimIds {

  private static final int ID_BYTES = 16;
  private static final int BLOCK_BYTES = 256 * ID_BYTES;

  private final SecureRandom random = new SecureRandom();
  private final ReentrantLock mutex = new ReentrantLock();
  private final byte[] block = new byte[BLOCK_BYTES];

  // Mutable state, guarded by mutex
  private int used = BLOCK_BYTES;

  String next() {
    mutex.lock();
    try {
      if (used == BLOCK_BYTES) {
        random.nextBytes(block);
        used = 0;
      }
      String id = HexFormat.of().formatHex(block, used, used + ID_BYTES);
      used += ID_BYTES;
      return id;
    } finally {
      mutex.unlock();
    }
  }
}
