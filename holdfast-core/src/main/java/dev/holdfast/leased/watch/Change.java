package dev.holdfast.leased.watch;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.KeyWatches.Listener;

/**
 * What happened to a key.
 *
 * @param now the key as it is now; of one that was deleted, only its name and when
 */
public record Change(StoredKey now, boolean deleted) {

  long revision() {
    return now.modified();
  }

  void deliver(Listener listener) {
    if (deleted) {
      listener.deleted(now.key());
    } else {
      listener.changed(now);
    }
  }
}
