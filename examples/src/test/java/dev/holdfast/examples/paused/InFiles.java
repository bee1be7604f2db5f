package dev.holdfast.examples.paused;

import dev.holdfast.Proof;
import dev.holdfast.fence.FileFence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files in a folder, each with its token beside it. */
record InFiles(Path folder) implements Guarded {

  InFiles(String folder) {
    this(Path.of(folder));
  }

  @Override
  public void enter(Proof proof) {
    FileFence.beside(file(proof.lock())).enter(proof);
  }

  @Override
  public String read(String lock) throws IOException {
    return Files.readString(file(lock));
  }

  @Override
  public void write(Proof proof, String text) {
    FileFence.beside(file(proof.lock())).write(proof, text.getBytes(StandardCharsets.UTF_8));
  }

  private Path file(String lock) {
    return folder.resolve(lock);
  }
}
