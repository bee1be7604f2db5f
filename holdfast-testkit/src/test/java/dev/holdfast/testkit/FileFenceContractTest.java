package dev.holdfast.testkit;

import dev.holdfast.Fence;
import dev.holdfast.FileFence;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FileFenceContractTest extends FenceContract {

  @TempDir static Path folder;

  @Override
  protected Fence fence() {
    return FileFence.beside(folder.resolve("data.csv"));
  }
}
