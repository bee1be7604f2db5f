package dev.holdfast.bench.cli;

import dev.holdfast.bench.Framing;
import dev.holdfast.bench.Site;
import dev.holdfast.bench.Store;
import dev.holdfast.bench.contender.Contender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A file of this machine, for command lines: each acquisition is a process that takes the lock,
 * runs {@code true} and gives it back.
 */
public final class CliStore implements Store {

  /** The launcher; without it nobody takes part. */
  private static final Optional<String> LAUNCHER =
      Optional.ofNullable(System.getenv("HOLDFAST_LAUNCHER"));

  @Override
  public String name() {
    return "cli";
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
    return LAUNCHER.stream()
        .flatMap(
            launcher ->
                Stream.<Contender>of(
                    new Commands(
                        "Holdfast",
                        Contender.Role.HOLDFAST,
                        folder ->
                            List.of(
                                launcher,
                                "run",
                                "--store",
                                "sqlite:" + folder.resolve("locks.db"),
                                "bench",
                                "--",
                                "true")),
                    new Commands(
                        "flock",
                        Contender.Role.PEER,
                        folder -> List.of("flock", folder.resolve("lock").toString(), "true"))))
        .toList();
  }

  @Override
  public Site start() throws IOException {
    Path folder = Files.createTempDirectory("holdfast-bench");
    return new Site(folder.toString(), 0, "files", () -> delete(folder));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
