package dev.holdfast.bench.report;

/** What the words and signs of all tables mean; said once. */
final class Legend {

  static final String TURN =
      "A *turn* is one acquisition with its release, whether the server granted it or a thread of"
          + " the same client handed it off; a *turn between clients* is one whose lock another"
          + " client had before it.";

  static final String BRACKETS =
      "A figure with brackets is the median of the ratios of pairs of slices from the same round;"
          + " the brackets hold the lowest and the highest of these pairs.";

  static final String NO_HAND_OFF =
      "*No hand-off* is Holdfast with `handOff(false)`: each acquisition asks the server, nothing"
          + " is handed off within a client, and no claim is kept. *Slice* is"
          + " `handOff(Duration.ofMillis(100))`: a client keeps the lock for that long although"
          + " others wait.";

  private Legend() {}
}
