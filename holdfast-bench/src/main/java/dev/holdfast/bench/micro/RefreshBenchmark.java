package dev.holdfast.bench.micro;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.ManualTicker;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

/** What the engine does every third of the ttl for a client that holds 100,000 leases. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class RefreshBenchmark {

  private static final int LEASES = 100_000;

  /** A client whose time the benchmark moves. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up first
  public static class Client {
    private ManualTicker ticker;
    private Holdfast locks;
    private List<Lease> leases;

    /** For JMH. */
    @Setup
    public void open() throws InterruptedException {
      ticker = new ManualTicker();
      locks = Holdfast.builder().store("memory:refresh").ticker(ticker).build();
      leases = new ArrayList<>(LEASES);
      for (int i = 0; i < LEASES; i++) {
        leases.add(locks.lock("lease/" + i).acquire());
      }
    }

    /** For JMH; a lease that was not renewed would have made the benchmark meaningless. */
    @TearDown
    public void close() {
      for (Lease lease : leases) {
        lease.ensure(LockOptions.defaults().renewEvery());
      }
      locks.close();
    }
  }

  /** One tick: every lease is renewed once. */
  @Benchmark
  public void tick(Client client) {
    client.ticker.advance(LockOptions.defaults().renewEvery());
  }
}
