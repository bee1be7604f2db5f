package dev.holdfast.bench.workload;

import java.util.List;

/** Something that is measured, of several contenders in turn. */
public interface Workload {

  /** As on the command line. */
  String name();

  /** As a heading. */
  String title();

  /** Who takes part; nobody if it makes no sense on this store. */
  List<Entry> entries(Ground ground);

  /** How often each has its turn. */
  default int rounds(Scale scale) {
    return scale.rounds();
  }

  /**
   * Whether all are ready from the beginning, so that slices follow each other at once and warm. If
   * not, each is made ready for its slice alone: where much is opened and only requests are
   * counted.
   */
  default boolean opensAll() {
    return true;
  }
}
