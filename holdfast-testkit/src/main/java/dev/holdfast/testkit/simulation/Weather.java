package dev.holdfast.testkit.simulation;

/** What the network of a client is like. */
enum Weather {
  /** Every message arrives within 40 ms. */
  CALM("calm"),
  /** Hints get lost; the rest is calm. */
  NO_HINTS("no hints"),
  /** Every message may suffer any {@link Link.Fault}. */
  STORM("storm"),
  /** Requests go nowhere. */
  CUT_OFF("cut off"),
  /** Requests take effect, and no answer comes. */
  MUTE("answers lost"),
  /** Messages take up to three seconds each way. */
  SLOW("slow");

  private final String text;

  Weather(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
