package dev.holdfast.servers.program;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where programs are found: on the path, where systems keep their servers, and in the cache. */
public final class Programs {

  private Programs() {}

  /** The program of this name, if the machine has it. */
  public static Optional<Path> find(String name) {
    return folders().map(folder -> folder.resolve(name)).filter(Files::isExecutable).findFirst();
  }

  /** The same, for a program without which nothing can be done. */
  public static Path get(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no program " + name + "; ./test explains how to get it"));
  }

  private static Stream<Path> folders() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    List<Path> folders = new ArrayList<>();
    Arrays.stream(path.split(File.pathSeparator)).map(Path::of).forEach(folders::add);
    // Debian keeps PostgreSQL's programs off the path, one folder for each major version.
    folders.addAll(newestFirst(Path.of("/usr/lib/postgresql")));
    folders.add(Path.of("/usr/sbin"));
    folders.add(Path.of("/usr/local/sbin"));
    folders.add(ServerCache.root().resolve("bin"));
    return folders.stream();
  }

  private static List<Path> newestFirst(Path versions) {
    if (!Files.isDirectory(versions)) {
      return List.of();
    }
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(versions, "[0-9]*")) {
      folders.forEach(found::add);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look into " + versions, e);
    }
    found.sort(
        Comparator.comparingDouble((Path p) -> Double.parseDouble(p.getFileName().toString()))
            .reversed());
    return found.stream().map(version -> version.resolve("bin")).toList();
  }
}
