package dev.holdfast.testkit.broken;

import java.util.List;

/** One broken promise. */
interface Flaw {

  /** A store that breaks it and no other. */
  Sketch sketch();

  /**
   * The tests of the contract that name it. Others may fail as well: a store that grants two at a
   * time is wrong in many ways.
   */
  List<String> promises();
}
