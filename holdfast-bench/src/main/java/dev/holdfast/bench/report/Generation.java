package dev.holdfast.bench.report;

/**
 * Which way of acquiring, renewing, handing off and releasing the figures belong to. Figures of one
 * generation say nothing about another, so docs/figures.tsv names its own, and a test compares.
 */
final class Generation {

  /**
   * Add one when the requests, the threads or the waits on the path of an acquisition change: 1
   * released every claim at once, 2 keeps claims and ends slices when others wait.
   */
  static final int NUMBER = 2;

  private Generation() {}
}
