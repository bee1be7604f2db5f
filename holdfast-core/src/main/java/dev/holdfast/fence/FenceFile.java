package dev.holdfast.fence;

import dev.holdfast.FenceToken;
import dev.holdfast.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The file in which a {@link FileFence} keeps its tokens: a line with the format, then one line per
 * lock with its token and its name. Files are only ever replaced as a whole, so a reader finds the
 * old content or the new one, never a part.
 *
 * <p>Anybody may have changed it. A line that names its lock concerns that lock alone, whatever its
 * token looks like; anything else makes the whole file unusable, because nobody knows whose token
 * it was. Immutable.
 */
final class FenceFile {

  private static final String FORMAT = "holdfast-fence 1";

  /** Some thousand locks with the longest names; one file usually has one. */
  private static final int LIMIT = 16 << 20;

  private final Path file;
  private final List<Line> lines;

  private FenceFile(Path file, List<Line> lines) {
    this.file = file;
    this.lines = lines;
  }

  /** What stands before the name of a lock: a token, unless the line is damaged. */
  private record Line(String token, String lock) {

    static @Nullable Line parse(String text) {
      int space = text.lastIndexOf(' ');
      if (space < 0) {
        return null;
      }
      try {
        String lock = URLDecoder.decode(text.substring(space + 1), StandardCharsets.UTF_8);
        Line line = new Line(text.substring(0, space), lock);
        return !lock.isEmpty() && line.toString().equals(text) ? line : null;
      } catch (IllegalArgumentException notAName) {
        return null;
      }
    }

    @Override
    public String toString() {
      return token + " " + URLEncoder.encode(lock, StandardCharsets.UTF_8);
    }
  }

  /** Something is there that no fence has written; the message says where and what to do. */
  static final class Damaged extends IOException {
    private static final long serialVersionUID = 1L;

    Damaged(Path file, String what) {
      super(
          file
              + " "
              + what
              + ". Move it away, then put back the fence of each lock that guards the data:"
              + " holdfast fence reset");
    }
  }

  /** The tokens of all locks; none if there is no such file yet. */
  static FenceFile read(Path file) throws IOException {
    if (!isThere(file)) { // nobody has entered yet
      return new FenceFile(file, List.of());
    }
    List<String> texts = content(file).lines().toList();
    if (texts.isEmpty() || !texts.get(0).equals(FORMAT)) {
      throw new Damaged(file, "does not start with '" + FORMAT + "'; it may be of a newer version");
    }
    List<Line> lines = new ArrayList<>();
    for (int i = 1; i < texts.size(); i++) {
      Line line = Line.parse(texts.get(i));
      if (line == null) {
        throw new Damaged(
            file,
            "is damaged: line " + (i + 1) + " is '" + FenceToken.printable(texts.get(i)) + "'");
      }
      lines.add(line);
    }
    return new FenceFile(file, lines);
  }

  /**
   * Checks for a file of this name. Opening a pipe would wait for ever, and a link or a device
   * leads to what is not ours.
   *
   * @return true if it exists
   */
  static boolean isThere(Path file) throws IOException {
    BasicFileAttributes found;
    try {
      found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return false;
    }
    if (!found.isRegularFile()) {
      String kind =
          found.isSymbolicLink()
              ? "a symbolic link"
              : found.isDirectory() ? "a folder" : "a pipe, a socket or a device";
      throw new Damaged(file, "is " + kind + " instead of a file");
    }
    if (found.size() > LIMIT) {
      throw new Damaged(file, "is longer than " + LIMIT + " bytes");
    }
    return true;
  }

  private static String content(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      bytes = in.readNBytes(LIMIT);
    } catch (NoSuchFileException goneMeanwhile) {
      throw new Damaged(file, "was removed while it was read");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new Damaged(file, "is not text");
    }
  }

  /**
   * Where the fence of a lock stands.
   *
   * @throws StoreException if its line is damaged
   */
  long token(String lock) {
    List<Line> found = lines.stream().filter(line -> line.lock.equals(lock)).toList();
    if (found.size() > 1) {
      throw FenceToken.damaged(lock, file.toString(), found.size() + " lines for it");
    }
    return found.isEmpty()
        ? FenceToken.NONE
        : FenceToken.read(lock, file.toString(), found.get(0).token);
  }

  /** Replaces the file by one with this token for this lock. By one at a time. */
  void put(String lock, long token) throws IOException {
    List<String> texts = new ArrayList<>();
    lines.stream().filter(line -> !line.lock.equals(lock)).map(Line::toString).forEach(texts::add);
    if (token != FenceToken.NONE) {
      texts.add(new Line(Long.toString(token), lock).toString());
    }
    String text = texts.stream().sorted().map(line -> line + "\n").collect(Collectors.joining());
    byte[] content = (FORMAT + "\n" + text).getBytes(StandardCharsets.UTF_8);
    if (content.length > LIMIT) {
      throw new IOException(file + " has no room for another lock");
    }
    replace(file, content);
  }

  /** Gives a file this content in one step, on the disk when it returns. By one at a time. */
  static void replace(Path file, byte[] content) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh); // left by a killed process
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
