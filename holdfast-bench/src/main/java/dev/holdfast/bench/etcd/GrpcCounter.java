package dev.holdfast.bench.etcd;

import dev.holdfast.bench.store.FrameCounter;

/** Counts messages, those on streams that stay open among them: each is a frame with data. */
final class GrpcCounter extends FrameCounter {

  private static final int PREFACE = 24; // of HTTP/2
  private static final byte DATA = 0;

  GrpcCounter() {
    super(PREFACE);
  }

  @Override
  protected int headSize(byte first) {
    return 9;
  }

  @Override
  protected long rest(byte[] header) {
    return number(header, 0, 3);
  }

  @Override
  protected boolean isRequest(byte[] header) {
    return header[3] == DATA && rest(header) > 0;
  }
}
