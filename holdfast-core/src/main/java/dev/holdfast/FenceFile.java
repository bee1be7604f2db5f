package dev.holdfast;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The file in which a {@link FileFence} keeps its tokens: a line with the format, then one line per
 * lock with its token and its name. Files are only ever replaced as a whole, so a reader finds the
 * old content or the new one, never a part.
 */
final class FenceFile {

  private static final String FORMAT = "holdfast-fence 1";

  private FenceFile() {}

  /** The tokens by lock name; none if there is no such file yet. */
  static Map<String, Long> read(Path file) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException nobodyHasEnteredYet) {
      return Map.of();
    }
    if (lines.isEmpty() || !lines.get(0).equals(FORMAT)) {
      throw new IOException(
          file + " does not start with '" + FORMAT + "'; it may be of a newer version");
    }
    Map<String, Long> tokens = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] parts = line.split(" ", -1);
      try {
        tokens.put(URLDecoder.decode(parts[1], StandardCharsets.UTF_8), Long.parseLong(parts[0]));
      } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
        throw new IOException(file + " is damaged: a line is '" + line + "'", e);
      }
    }
    return tokens;
  }

  /** Replaces the file. */
  static void write(Path file, Map<String, Long> tokens) throws IOException {
    String text =
        tokens.entrySet().stream()
            .map(
                entry ->
                    entry.getValue()
                        + " "
                        + URLEncoder.encode(entry.getKey(), StandardCharsets.UTF_8))
            .sorted()
            .collect(Collectors.joining("\n", FORMAT + "\n", "\n"));
    replace(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Gives a file this content in one step, on the disk when it returns. By one at a time. */
  static void replace(Path file, byte[] content) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh); // of somebody who was killed
    try (FileChannel channel =
        FileChannel.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      keepPermissions(file, fresh);
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true); // before the rename: a power cut must not leave an empty file
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    sync(Objects.requireNonNull(file.toAbsolutePath().getParent()));
  }

  /** A power cut must not bring the file of before back under this name. */
  private static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (AccessDeniedException unreadable) {
      // Windows opens no folders, and writes their changes through.
    }
  }

  private static void keepPermissions(Path from, Path to) throws IOException {
    PosixFileAttributeView old = Files.getFileAttributeView(from, PosixFileAttributeView.class);
    if (old != null && Files.exists(from)) {
      Files.setPosixFilePermissions(to, old.readAttributes().permissions());
    }
  }
}
