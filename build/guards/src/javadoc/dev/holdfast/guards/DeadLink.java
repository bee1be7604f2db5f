package dev.holdfast.guards;

/** Points to {@link Elsewhere}, which does not exist. */
final class DeadLink {
  private DeadLink() {}
}
