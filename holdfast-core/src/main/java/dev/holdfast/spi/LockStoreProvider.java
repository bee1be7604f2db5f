package dev.holdfast.spi;

import dev.holdfast.Traits;
import java.util.Set;

/**
 * Opens the stores of some URL schemes; found by {@link java.util.ServiceLoader}, so a provider has
 * a public constructor without arguments.
 */
public interface LockStoreProvider {

  /**
   * The schemes it serves, without the colon: {@code redis}; two parts where the first says too
   * little: {@code jdbc:postgresql}.
   */
  Set<String> schemes();

  /** What a store of this scheme can do unless its URL says otherwise; nothing is opened. */
  Traits traits(String scheme);

  /**
   * Opens the store. May connect; each wait for the store is bounded by the operation time-out.
   *
   * @param url starts with one of the schemes and a colon; {@link
   *     dev.holdfast.spi.support.StoreUrl#parse} takes it apart
   * @throws IllegalArgumentException if the URL is malformed, saying what would be right
   * @throws dev.holdfast.StoreException if the store cannot be reached or used
   */
  LockStore open(String url, StoreSettings settings);
}
