package dev.holdfast.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds the source files: everything that is written by hand, wherever the tests are started. */
final class Repository {

  private static final Set<String> SUFFIXES =
      Set.of("java", "xml", "sh", "md", "sql", "lua", "properties", "yml", "json", "config");

  private Repository() {}

  static List<Source> sources() {
    Path root = root();
    List<Source> sources = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes about) {
              return isMade(root, folder) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes about)
                throws IOException {
              if (about.isRegularFile() && isSource(file)) {
                String path = root.relativize(file).toString().replace('\\', '/');
                sources.add(Source.of(path, Files.readString(file)));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sources;
  }

  /** The folder of the root POM, at or above the one that the tests run in. */
  static Path root() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      Path pom = folder.resolve("pom.xml");
      try {
        if (Files.exists(pom) && Files.readString(pom).contains("<modules>")) {
          return folder;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new IllegalStateException("no root pom.xml at or above " + Path.of("").toAbsolutePath());
  }

  private static boolean isMade(Path root, Path folder) {
    if (folder.equals(root)) {
      return false;
    }
    String name = folder.getFileName().toString();
    boolean hidden = name.startsWith(".") && !Set.of(".ci", ".mvn").contains(name);
    return hidden || name.startsWith("target");
  }

  private static boolean isSource(Path file) {
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return dot < 0 || SUFFIXES.contains(name.substring(dot + 1)); // scripts have no suffix
  }
}
