package dev.holdfast.bench.sql;

import dev.holdfast.bench.store.FrameCounter;

/** Counts commands: each begins a new sequence of packets. */
final class MariaDbCounter extends FrameCounter {

  MariaDbCounter() {
    super(0);
  }

  @Override
  protected int headSize(byte first) {
    return 4;
  }

  @Override
  protected long rest(byte[] header) {
    return (header[0] & 0xffL) | (header[1] & 0xffL) << 8 | (header[2] & 0xffL) << 16;
  }

  @Override
  protected boolean isRequest(byte[] header) {
    return header[3] == 0;
  }
}
