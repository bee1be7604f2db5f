package dev.holdfast.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Cuts what does not fit into one transaction: etcd takes 128 operations unless told otherwise. */
final class Chunks {

  static final int SIZE = 100;

  private Chunks() {}

  static <T> List<List<T>> of(Collection<T> all) {
    List<T> items = List.copyOf(all);
    List<List<T>> chunks = new ArrayList<>();
    for (int i = 0; i < items.size(); i += SIZE) {
      chunks.add(items.subList(i, Math.min(items.size(), i + SIZE)));
    }
    return chunks;
  }
}
