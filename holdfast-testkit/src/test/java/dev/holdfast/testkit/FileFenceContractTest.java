package dev.holdfast.testkit;

import dev.holdfast.Fence;
import dev.holdfast.fence.FileFence;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

class FileFenceContractTest extends StoredFenceContract {

  @TempDir static Path folder;

  @Override
  protected Fence fence() {
    return FileFence.beside(folder.resolve("data.csv"));
  }

  @Override
  protected void overwrite(String lock, String text) throws Exception {
    Path file = folder.resolve("data.csv.fence");
    String name = " " + URLEncoder.encode(lock, StandardCharsets.UTF_8) + "\n";
    StringBuilder content = new StringBuilder();
    for (String line : Files.readAllLines(file)) {
      if (!(line + "\n").endsWith(name)) {
        content.append(line).append("\n");
      }
    }
    Files.writeString(file, content + text + name);
  }

  @Override
  protected String place(String lock) {
    return folder.resolve("data.csv.fence").toString();
  }

  /** A second line belongs to no lock: see {@code DamagedFenceFileTest}. */
  @Override
  protected List<String> damages() {
    return super.damages().stream().filter(text -> !text.contains("\n")).toList();
  }
}
