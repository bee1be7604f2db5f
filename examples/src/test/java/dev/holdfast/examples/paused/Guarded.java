package dev.holdfast.examples.paused;

import dev.holdfast.Proof;

/** A resource with one text per lock, behind a guard; each process opens it for itself. */
interface Guarded extends AutoCloseable {

  /** Comes in, before the first read. */
  void enter(Proof proof) throws Exception;

  /** The text of a lock, or empty. */
  String read(String lock) throws Exception;

  /**
   * Replaces the text of the proof's lock.
   *
   * @throws dev.holdfast.LockException if the guard refuses it; nothing was written
   */
  void write(Proof proof, String text) throws Exception;

  @Override
  default void close() throws Exception {}
}
