package dev.holdfast.bench.cli;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Mutex;
import java.util.List;

/** A command line that takes a lock, runs {@code true} and gives the lock back. */
record Commands(List<String> words) implements Client {

  @Override
  public Mutex mutex(String name) {
    return () -> {
      run();
      return () -> {};
    };
  }

  @Override
  public void close() {}

  private void run() throws Exception {
    Process process =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    int status = process.waitFor();
    if (status != 0) {
      throw new IllegalStateException(words.get(0) + " ended with " + status);
    }
  }
}
