package dev.holdfast;

/**
 * Which leases are remembered with the place of their acquisition, to report those never closed.
 */
public enum LeakReports {
  /** None, and nothing is reported. */
  OFF,
  /** One of 128. Others are reported without the place. */
  SAMPLED,
  /** All; costs a stack trace for each acquisition. For tests and for finding a leak. */
  ALL
}
