package dev.holdfast.etcd;

/** A key was to be put on a lease that has ended; nothing was put. */
final class LeaseGoneException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  LeaseGoneException() {
    super("the lease has ended", null, false, false);
  }
}
