package dev.holdfast.bench.cli;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** A command line that takes a lock, runs {@code true} and gives the lock back. */
record Commands(String label, Role role, Function<Path, List<String>> command)
    implements Contender {

  @Override
  public Set<Feature> features() {
    return role == Role.HOLDFAST
        ? EnumSet.of(Feature.OWNER_CHECK, Feature.TOKEN, Feature.WAITING, Feature.FAIR)
        : EnumSet.of(Feature.OWNER_CHECK, Feature.WAITING);
  }

  @Override
  public Client open(String folder) {
    List<String> words = command.apply(Path.of(folder));
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        return () -> {
          run(words);
          return () -> {};
        };
      }

      @Override
      public void close() {}
    };
  }

  private static void run(List<String> words) throws Exception {
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
