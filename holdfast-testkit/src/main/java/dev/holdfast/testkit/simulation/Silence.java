package dev.holdfast.testkit.simulation;

import dev.holdfast.StoreException;

/** A message was lost. Made by the thousand, and its stack trace would say nothing. */
final class Silence extends StoreException {

  private static final long serialVersionUID = 1L;

  Silence(String lock) {
    super(lock, "The network has lost a message.");
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
