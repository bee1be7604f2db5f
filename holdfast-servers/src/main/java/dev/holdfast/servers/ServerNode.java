package dev.holdfast.servers;

import dev.holdfast.servers.process.ServerProcess;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One server in the hands of a test. If the test has started it, it can be paused, killed and
 * restarted, and is gone with the JVM at the latest; if it was there before, it can only be used.
 *
 * <p><b>Threads.</b> One at a time.
 */
public abstract class ServerNode implements AutoCloseable {

  private final @Nullable ServerProcess process;

  ServerNode(@Nullable ServerProcess process) {
    this.process = process;
  }

  /** Where it listens, on 127.0.0.1. */
  public final int port() {
    return process().port();
  }

  /** The folder of its files; removed by {@link #close}. */
  public final Path data() {
    return process().data();
  }

  /** Kills it as {@code kill -9} does. */
  public final void kill() {
    process().kill();
  }

  /** Stops it in its tracks: connections stay open, and nothing answers. */
  public final void pause() {
    process().pause();
  }

  /** Lets it go on after {@link #pause}. */
  public final void resume() {
    process().resume();
  }

  /** Starts it again on the same port and data. */
  public final void restart() {
    process().restart();
  }

  /** Ends it, if it is ours, and removes its data. */
  @Override
  public final void close() {
    if (process != null) {
      process.close();
    }
  }

  @Override
  public final String toString() {
    return process == null ? "a server that was there" : process.toString();
  }

  final ServerProcess process() {
    if (process == null) {
      throw new IllegalStateException("this server was not started by us: it is not ours to stop");
    }
    return process;
  }
}
