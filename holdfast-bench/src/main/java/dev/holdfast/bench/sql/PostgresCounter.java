package dev.holdfast.bench.sql;

import dev.holdfast.bench.store.FrameCounter;

/** Counts statements: what is executed after it was bound, and what is sent as plain text. */
final class PostgresCounter extends FrameCounter {

  PostgresCounter() {
    super(0);
  }

  /** Only the first messages have no letter in front: they begin with the high byte of a length. */
  @Override
  protected int headSize(byte first) {
    return first == 0 ? 4 : 5;
  }

  @Override
  protected long rest(byte[] header) {
    // The length counts itself.
    return number(header, header[0] == 0 ? 0 : 1, 4) - 4;
  }

  @Override
  protected boolean isRequest(byte[] header) {
    return header[0] == 'E' || header[0] == 'Q';
  }
}
