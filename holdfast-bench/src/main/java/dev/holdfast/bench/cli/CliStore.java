package dev.holdfast.bench.cli;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A file of this machine, for command lines: each acquisition is a process that takes the lock,
 * runs {@code true} and gives it back.
 */
public final class CliStore implements Store {

  /** The launcher; without it there are no contenders. */
  private static final Optional<String> LAUNCHER =
      Optional.ofNullable(System.getenv("HOLDFAST_LAUNCHER"));

  private static final Contender FLOCK =
      Contender.peer(
          "flock",
          Set.of(Feature.OWNER_CHECK, Feature.WAITING),
          folder -> new Commands(List.of("flock", folder + "/lock", "true")));

  @Override
  public String name() {
    return "cli";
  }

  @Override
  public String title() {
    return "Command line";
  }

  /** Only a command. */
  @Override
  public boolean hasPeers() {
    return false;
  }

  @Override
  public boolean pushes() {
    return false;
  }

  @Override
  public boolean offers(String workload) {
    return workload.equals("uncontended");
  }

  @Override
  public Framing framing() {
    throw new UnsupportedOperationException("nothing is sent");
  }

  @Override
  public List<Contender> contenders() {
    return LAUNCHER.map(launcher -> List.of(holdfast(launcher), FLOCK)).orElse(List.of());
  }

  private static Contender holdfast(String launcher) {
    return new Contender(
        "Holdfast",
        Contender.Role.ASKING,
        Set.of(Feature.OWNER_CHECK, Feature.TOKEN, Feature.WAITING, Feature.FAIR),
        folder -> {
          String store = "sqlite:" + folder + "/locks.db";
          return new Commands(List.of(launcher, "run", "--store", store, "bench", "--", "true"));
        });
  }

  @Override
  public RunningServer start() throws IOException {
    Path folder = Files.createTempDirectory("holdfast-bench");
    return new RunningServer(folder.toString(), 0, "files", () -> delete(folder));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
