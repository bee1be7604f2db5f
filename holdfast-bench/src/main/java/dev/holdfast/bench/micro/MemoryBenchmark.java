package dev.holdfast.bench.micro;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.util.concurrent.TimeUnit;
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

/** What the engine itself costs: the memory store answers at once. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class MemoryBenchmark {

  /** A client and a lock. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up first
  public static class Client {
    private Holdfast locks;
    private DistributedLock lock;

    /** For JMH. */
    @Setup
    public void open() {
      locks = Holdfast.connect("memory:bench");
      lock = locks.lock("bench/one");
    }

    /** For JMH. */
    @TearDown
    public void close() {
      locks.close();
    }
  }

  /** A lock that the benchmark's thread already holds. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up first
  public static class Held {
    private Holdfast locks;
    private DistributedLock lock;
    private Lease outer;

    /** For JMH. */
    @Setup
    public void acquire() throws InterruptedException {
      locks = Holdfast.connect("memory:held");
      lock = locks.lock("bench/held");
      outer = lock.acquire();
    }

    /** For JMH. */
    @TearDown
    public void release() {
      outer.close();
      locks.close();
    }
  }

  /** One thread, uncontended. */
  @Benchmark
  public long uncontended(Client client) throws InterruptedException {
    try (Lease lease = client.lock.acquire()) {
      return lease.token();
    }
  }

  /** The holder acquires again. */
  @Benchmark
  public long reentry(Held held) throws InterruptedException {
    try (Lease lease = held.lock.acquire()) {
      return lease.token();
    }
  }

  /** Two threads of one client pass a lock on. */
  @Benchmark
  @Threads(2)
  public long handOff(Client client) throws InterruptedException {
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
