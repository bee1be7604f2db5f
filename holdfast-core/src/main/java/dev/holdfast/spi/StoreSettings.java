package dev.holdfast.spi;

import java.time.Duration;

/**
 * What a store is opened with.
 *
 * @param ticker for retries, polls and sweeps of the store's own
 * @param operationTimeout after which the engine gives up on an answer: retries inside the store
 *     fit within it
 * @param credentials who to log in as, where the URL does not say it
 */
public record StoreSettings(Ticker ticker, Duration operationTimeout, Credentials credentials) {

  /** With nothing beyond what the URL says. */
  public StoreSettings(Ticker ticker, Duration operationTimeout) {
    this(ticker, operationTimeout, Credentials.none());
  }
}
