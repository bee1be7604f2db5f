package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.simulation.Simulate.Options;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs one simulation after the other on several threads, until one fails or all are done. */
final class Campaign {

  private final Options options;
  private final Simulations simulations;
  private final Progress progress;
  private final AtomicLong next = new AtomicLong();
  private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();

  Campaign(Options options, Simulations simulations, Progress progress) {
    this.options = options;
    this.simulations = simulations;
    this.progress = progress;
  }

  Optional<Failure> run() {
    List<Thread> threads = new ArrayList<>();
    long count = Math.min(options.threads(), options.hours());
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(this::work, "simulation " + i);
      threads.add(thread);
      thread.start();
    }
    threads.forEach(Campaign::join);
    Throwable unexpected = trouble.get();
    if (unexpected != null) {
      throw new IllegalStateException("a simulation failed unexpectedly", unexpected);
    }
    return Optional.ofNullable(failure.get());
  }

  private void work() {
    try {
      while (failure.get() == null && trouble.get() == null && !progress.isTimeOver()) {
        long number = next.getAndIncrement();
        if (number >= options.hours()) {
          return;
        }
        simulations.run(options.seed() + number).ifPresent(it -> failure.compareAndSet(null, it));
        progress.advanced();
      }
    } catch (RuntimeException | Error e) {
      trouble.compareAndSet(null, e);
    }
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
