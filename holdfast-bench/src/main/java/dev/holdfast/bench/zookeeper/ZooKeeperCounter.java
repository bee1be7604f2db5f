package dev.holdfast.bench.zookeeper;

import dev.holdfast.bench.store.FrameCounter;

/** Counts operations, pings among them. */
final class ZooKeeperCounter extends FrameCounter {

  ZooKeeperCounter() {
    super(0);
  }

  @Override
  protected int headSize(byte first) {
    return 4;
  }

  @Override
  protected long rest(byte[] header) {
    return number(header, 0, 4);
  }

  @Override
  protected boolean isRequest(byte[] header) {
    return true;
  }
}
