package dev.holdfast.servers.process;

import dev.holdfast.servers.program.Commands;
import dev.holdfast.servers.program.Programs;
import dev.holdfast.servers.program.ServerCache;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs a server with a wall clock that a test can set ahead or back, by a small preloaded library.
 *
 * @param server the server to run
 */
public record ShiftedClock(Recipe server) implements Recipe {

  private static final String SOURCE = "wallclock.c";

  /** Sets the difference between the server's clock and the machine's. */
  public static void shift(Path data, Duration by) throws IOException {
    long micros = by.toNanos() / 1_000;
    // In one write, in place: the server has the file mapped.
    try (FileChannel file = FileChannel.open(file(data), StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(0, micros), 0);
    }
  }

  /** The library, compiled on first use. */
  public static Path library() throws IOException {
    byte[] source;
    try (InputStream in = ShiftedClock.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new IllegalStateException(SOURCE + " is missing from the jar");
      }
      source = in.readAllBytes();
    }
    Path compiler = Programs.get("cc");
    String name = "wallclock-" + Integer.toHexString(Arrays.hashCode(source));
    return ServerCache.folder(name, folder -> compile(compiler, source, folder))
        .resolve("wallclock.so");
  }

  private static void compile(Path compiler, byte[] source, Path folder) throws IOException {
    Path file = Files.write(folder.resolve(SOURCE), source);
    Commands.run(
        List.of(
            compiler.toString(),
            "-std=c11",
            "-O2",
            "-fPIC",
            "-shared",
            "-o",
            folder.resolve("wallclock.so").toString(),
            file.toString()));
  }

  @Override
  public String name() {
    return server.name();
  }

  @Override
  public void prepare(Path data) throws Exception {
    Files.write(file(data), new byte[8]);
    server.prepare(data);
  }

  @Override
  public List<String> command(Path data, int port) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("env", "LD_PRELOAD=" + library(), "WALLCLOCK_FILE=" + file(data)));
    command.addAll(server.command(data, port));
    return command;
  }

  @Override
  public void ask(int port) throws Exception {
    server.ask(port);
  }

  @Override
  public boolean refusesRoot() {
    return server.refusesRoot();
  }

  @Override
  public String stopSignal() {
    return server.stopSignal();
  }

  private static Path file(Path data) {
    return data.resolveSibling("wallclock");
  }
}
