package dev.holdfast.torture.history;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The history of one process. Each observation is handed to the system in one write before {@link
 * #append} returns, so a process that is killed loses nothing that it has recorded. Thread-safe.
 *
 * <p>All times are {@link System#nanoTime}: on Linux that is one clock for all JVMs of a machine,
 * until it starts again.
 */
public final class HistoryFile implements AutoCloseable {

  private static final String SUFFIX = ".history";

  private final FileChannel channel;
  private final ReentrantLock writing = new ReentrantLock();

  private HistoryFile(FileChannel channel) {
    this.channel = channel;
  }

  /** A new file of this process. */
  public static HistoryFile create(Path folder, String source) throws IOException {
    return new HistoryFile(
        FileChannel.open(
            folder.resolve(source + SUFFIX),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND,
            StandardOpenOption.WRITE));
  }

  /** Something that concerns no attempt. */
  public void append(String who, What what, String lock, String text) {
    append(who, what, Construct.NONE, lock, 0, 0, text);
  }

  /** Something that concerns a token. */
  public void append(
      String who,
      What what,
      Construct construct,
      String lock,
      long attempt,
      long token,
      String text) {
    append(
        System.nanoTime(),
        who,
        what,
        construct,
        lock,
        attempt,
        token,
        Observation.UNTIL_TOLD,
        null,
        text);
  }

  /** Anything. */
  public void append(
      long at,
      String who,
      What what,
      Construct construct,
      String lock,
      long attempt,
      long token,
      long until,
      @Nullable Request request,
      String text) {
    Observation observation =
        new Observation(at, who, what, construct, lock, attempt, token, until, request, text);
    ByteBuffer line = StandardCharsets.UTF_8.encode(observation.line() + "\n");
    writing.lock();
    try {
      while (line.hasRemaining()) {
        channel.write(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the history cannot be written", e);
    } finally {
      writing.unlock();
    }
  }

  /** All observations of all processes, in the order of time. */
  public static List<Observation> readAll(Path folder) throws IOException {
    List<Observation> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList()) {
        read(file, all);
      }
    }
    all.sort(Comparator.comparingLong(Observation::at));
    return all;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private static void read(Path file, List<Observation> all) throws IOException {
    String text = Files.readString(file);
    // A process that was killed in the middle of a write leaves a line without an end.
    text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Observation::parse).forEach(all::add);
  }
}
