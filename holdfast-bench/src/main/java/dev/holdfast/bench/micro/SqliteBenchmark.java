package dev.holdfast.bench.micro;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** What a lock in an SQLite file costs, and what passing it on within a client saves. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class SqliteBenchmark {

  /** A client on its own file. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up first
  public static class Client {
    private Path directory;
    private Holdfast locks;
    private DistributedLock lock;

    /** For JMH. */
    @Setup
    public void open() throws IOException {
      directory = Files.createTempDirectory("holdfast-bench");
      locks = Holdfast.connect("sqlite:" + directory.resolve("locks.db"));
      lock = locks.lock("bench/one");
    }

    /** For JMH. */
    @TearDown
    public void close() throws IOException {
      locks.close();
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** One thread: each acquisition and each release asks the store. */
  @Benchmark
  public long oneThread(Client client) throws InterruptedException {
    try (Lease lease = client.lock.acquire()) {
      return lease.token();
    }
  }

  /** Sixteen threads of one client want the same lock. */
  @Benchmark
  @Threads(16)
  public long sixteenThreads(Client client) throws InterruptedException {
    try (Lease lease = client.lock.acquire()) {
      return lease.token();
    }
  }
}
