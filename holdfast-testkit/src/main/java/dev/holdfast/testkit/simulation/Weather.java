package dev.holdfast.testkit.simulation;

/** What the network of a client is like. */
enum Weather {
  /** Every message arrives within 40 ms. */
  CALM("calm"),
  /** Hints get lost; the rest is calm. */
  NO_HINTS("no hints"),
  /** Every message may suffer any {@link Fault}. */
  STORM("storm"),
  /** Requests go nowhere. */
  CUT_OFF("cut off"),
  /** Requests take effect, and no answer comes. */
  MUTE("answers lost"),
  /** Messages take up to three seconds each way. */
  SLOW("slow");

  /** What a network does to one message. */
  enum Fault {
    /** The request never arrives. */
    LOST_REQUEST,
    /** The request takes effect, and its answer never comes. */
    LOST_ANSWER,
    /** The request is answered with an error, without effect. */
    ERROR,
    /** The request arrives long after its sender has given up on it. */
    LATE_REQUEST,
    /** The answer arrives late. */
    LATE_ANSWER,
    /** The request arrives twice, the second time late. */
    DOUBLED,
    /** A refresh is answered with unknown for one claim, though it took effect. */
    UNKNOWN_CLAIM
  }

  private final String text;

  Weather(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
