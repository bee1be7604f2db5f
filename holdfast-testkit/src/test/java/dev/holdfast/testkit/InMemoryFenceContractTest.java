package dev.holdfast.testkit;

import dev.holdfast.Fence;

class InMemoryFenceContractTest extends FenceContract {

  private final Fence fence = Fence.inMemory();

  @Override
  protected Fence fence() {
    return fence;
  }
}
