package dev.holdfast.testkit;

import dev.holdfast.spi.LockStore;
import java.util.Optional;

/**
 * How a contract gets at a store. Only {@link #open} must be written; each of the other methods
 * unlocks tests that otherwise cannot be made, and the contract fails where the store's traits
 * claim something that its fixture gives no way to test.
 *
 * <p>A fixture may stand for a server that many tests share: the contracts use unique lock names.
 * It is used by one test at a time and closed after it.
 */
public interface StoreFixture extends AutoCloseable {

  /**
   * Opens one more client on the same shared state, as another process would. The contract closes
   * it.
   */
  LockStore open();

  /**
   * The ticker that drives the store's clock, where it can be driven; clients opened with it run on
   * it too. Empty: the store's clock is the real one, and tests wait for conditions.
   */
  default Optional<ManualTicker> ticker() {
    return Optional.empty();
  }

  /**
   * The URL by which another process of this machine reaches the same state. Needed where the
   * traits say that the store spans processes; a store that does not may give the URL that it would
   * be reached by, and the contract shows that no process is excluded there.
   */
  default Optional<String> url() {
    return Optional.empty();
  }

  /**
   * Stops the store and starts it again on what it has kept. Clients opened before are closed by
   * the contract first. Needed where the traits say durable.
   *
   * @throws UnsupportedOperationException if this fixture cannot
   */
  default void restart() {
    throw new UnsupportedOperationException("this fixture cannot restart its store");
  }

  /**
   * Makes the store clean up now whatever it cleans up in time: expired claims, records of locks
   * that are not used. By default there is nothing to do: the store forgets at once, or never.
   */
  default void purge() {}

  /**
   * Returns whether the store notifies a holder that its claim was ended before its time, so that
   * it need not wait for the next renewal. By default a store that wakes the next in line does.
   */
  default boolean tellsHolders() {
    return true;
  }

  /**
   * Returns whether a client that is stopped in the middle of a step keeps others waiting no longer
   * than its ttl. Not where the operating system keeps a lock on a file for as long as the process
   * is there, nor where a server sets no limit to a transaction; a client that is killed is
   * replaced there too.
   */
  default boolean replacesStoppedClients() {
    return true;
  }

  /**
   * Writes this text over a part of a lock's stored record that must be readable, around the store,
   * as another program might. Needed where the traits say that the store spans processes.
   *
   * @return the place, as messages about the record must name it
   * @throws UnsupportedOperationException if this fixture cannot
   */
  default String damage(String lock, String text) {
    throw new UnsupportedOperationException("this fixture cannot damage records");
  }

  /** Frees what {@link #open} did not: a server, a file. By default nothing. */
  @Override
  default void close() {}
}
