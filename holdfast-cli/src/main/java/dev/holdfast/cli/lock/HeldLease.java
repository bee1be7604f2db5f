package dev.holdfast.cli.lock;

import dev.holdfast.Lease;
import dev.holdfast.MultiLease;
import dev.holdfast.Registration;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The lease that a command runs under: of one lock, or of several as one. */
public interface HeldLease extends AutoCloseable {

  /** The leases, in the order of their names. */
  List<Lease> parts();

  /** See {@link Lease#isValid}. */
  boolean isValid();

  /** See {@link Lease#remaining}. */
  Duration remaining();

  /** See {@link Lease#onLost(Runnable)}. */
  Registration onLost(Runnable action);

  /** See {@link Lease#release}. */
  boolean release();

  @Override
  void close();

  /** Something of each lease, separated by commas. */
  default String each(Function<Lease, String> what) {
    return parts().stream().map(what).collect(Collectors.joining(","));
  }

  /** One lock. */
  static HeldLease of(Lease lease) {
    return new HeldLease() {
      @Override
      public List<Lease> parts() {
        return List.of(lease);
      }

      @Override
      public boolean isValid() {
        return lease.isValid();
      }

      @Override
      public Duration remaining() {
        return lease.remaining();
      }

      @Override
      public Registration onLost(Runnable action) {
        return lease.onLost(action);
      }

      @Override
      public boolean release() {
        return lease.release();
      }

      @Override
      public void close() {
        lease.close();
      }
    };
  }

  /** Several locks. */
  static HeldLease of(MultiLease lease) {
    return new HeldLease() {
      @Override
      public List<Lease> parts() {
        return lease.parts();
      }

      @Override
      public boolean isValid() {
        return lease.isValid();
      }

      @Override
      public Duration remaining() {
        return lease.remaining();
      }

      @Override
      public Registration onLost(Runnable action) {
        return lease.onLost(action);
      }

      @Override
      public boolean release() {
        return lease.release();
      }

      @Override
      public void close() {
        lease.close();
      }
    };
  }
}
