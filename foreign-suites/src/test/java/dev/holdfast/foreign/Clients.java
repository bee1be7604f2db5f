package dev.holdfast.foreign;

import dev.holdfast.Holdfast;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The clients that a suite's test runs on: one for all its threads, or one for each. A suite knows
 * nothing of it, so its adapters find it in {@link #current}. Thread-safe.
 */
public final class Clients implements AutoCloseable {

  private static final AtomicLong TESTS = new AtomicLong();
  private static volatile @Nullable Clients current;

  private final String url;
  private final String prefix =
      "foreign/" + ProcessHandle.current().pid() + "/" + TESTS.incrementAndGet();
  private final @Nullable Holdfast shared;
  private final ThreadLocal<Holdfast> own = ThreadLocal.withInitial(this::open);
  private final Queue<Holdfast> opened = new ConcurrentLinkedQueue<>();

  private Clients(String url, boolean one) {
    this.url = url;
    shared = one ? open() : null;
  }

  /** Opens the clients of the next test. */
  static Clients open(String url, boolean one) {
    Clients clients = new Clients(url, one);
    current = clients;
    return clients;
  }

  /** Those of the test that runs now. */
  public static Clients current() {
    return Objects.requireNonNull(current, "no test runs");
  }

  private Holdfast open() {
    Holdfast client = Holdfast.connect(url);
    opened.add(client);
    return client;
  }

  /** The client of this thread. */
  public Holdfast mine() {
    return shared == null ? own.get() : shared;
  }

  /** What this test calls a lock: each test has its own locks, as each of theirs has a server. */
  public String name(String path) {
    return prefix + (path.startsWith("/") ? path : "/" + path);
  }

  @Override
  public void close() {
    opened.forEach(Holdfast::close);
  }
}
