package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** How a store watches keys. Thread-safe. */
public interface KeyWatches {

  /**
   * What is watched.
   *
   * @param key the key whose deletion matters; null for all changes in the lock's queue
   */
  record Target(String lock, @Nullable String key) {}

  /** Receives what happens to a watched key or queue. Thread-safe; calls may overlap. */
  interface Listener {

    /** A key was deleted. */
    void deleted(String key);

    /** A key was created or changed. */
    void changed(StoredKey now);

    /**
     * What is at the target now, from a store whose watches answer with values instead of changes.
     *
     * @return true if the listener has waited for that: the watch has ended
     */
    default boolean found(Collection<StoredKey> now) {
      return false;
    }

    /** Changes may be reported late: the watch is being opened again. */
    void interrupted();

    /** Changes may have been missed, and no more will be reported. */
    void missed();

    /** The watch is not permitted; nothing will be reported. */
    void refused();
  }

  /** Watches for a listener, with all that has happened from this revision on. */
  void add(Listener listener, Target target, long revision);

  /** Nothing has happened before this revision: a watch that breaks goes on from there. */
  void reached(Listener listener, long revision);

  /** Ends what was added for this listener. */
  void remove(Listener listener);

  /** For the keys of granted claims, if the store limits those otherwise. */
  default KeyWatches ofHolders() {
    return this;
  }
}
