package dev.holdfast.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The files of the project, wherever the tests are started from. */
final class Repository {

  private Repository() {}

  /** The directory that holds README.md and all modules. */
  static Path root() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("examples/pom.xml"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException("the tests run outside the project");
      }
    }
    return directory;
  }

  /** Every document, in the order of their paths. */
  static List<Path> documents() {
    return files(".md");
  }

  /** Every Java source. */
  static List<Path> sources() {
    return files(".java");
  }

  /** The one Java source of this simple class name. */
  static Path source(String className) {
    List<Path> found = files("/" + className + ".java");
    if (found.size() != 1) {
      throw new IllegalArgumentException(
          found.size() + " sources are called " + className + ".java; exactly one must be");
    }
    return found.get(0);
  }

  /** As messages and links show it. */
  static String name(Path file) {
    return root().relativize(file).toString();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> files(String ending) {
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          root(),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes about) {
              String name = String.valueOf(directory.getFileName());
              boolean ours = !name.equals("target") && !name.startsWith(".git");
              return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes about) {
              if (file.toString().endsWith(ending)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found.stream().sorted().toList();
  }
}
