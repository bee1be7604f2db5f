package dev.holdfast.torture.worker;

import java.util.List;

/** The locks that workers use. */
public final class LockNames {

  static final String MUTEX_A = "torture/mutex-a";
  static final String MUTEX_B = "torture/mutex-b";
  static final String READ_WRITE = "torture/read-write";
  static final String SEMAPHORE = "torture/semaphore";
  static final String SEVERAL_A = "torture/several-a";
  static final String SEVERAL_B = "torture/several-b";
  static final String SEVERAL_C = "torture/several-c";
  static final String MAX_HOLD = "torture/max-hold";
  static final String MIN_HOLD = "torture/min-hold";
  static final String DETACHED = "torture/detached";
  static final String ELECTION = "torture/election";

  /** All of them. */
  public static final List<String> ALL =
      List.of(
          MUTEX_A,
          MUTEX_B,
          READ_WRITE,
          SEMAPHORE,
          SEVERAL_A,
          SEVERAL_B,
          SEVERAL_C,
          MAX_HOLD,
          MIN_HOLD,
          DETACHED,
          ELECTION);

  private LockNames() {}
}
