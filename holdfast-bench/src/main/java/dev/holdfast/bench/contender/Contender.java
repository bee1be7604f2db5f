package dev.holdfast.bench.contender;

import java.util.Set;

/** Who takes part: Holdfast, a peer used as its own documentation says, or the floor. */
public interface Contender {

  /** Why it takes part. */
  enum Role {
    /** What is judged. */
    HOLDFAST,
    /** Holdfast with other options: shown, not judged. */
    VARIANT,
    /**
     * The least requests that give exclusion, an owner check and a rising token, written by hand
     * with the same client library and as many connections as Holdfast. Waits for nobody.
     */
    FLOOR,
    /** Another library. */
    PEER
  }

  /** What the report calls it; unique for its store. */
  String label();

  /** Why it takes part. */
  Role role();

  /** What it gives. */
  Set<Feature> features();

  /** A client of its own, as one process would have it, of the server at this URL. */
  Client open(String url) throws Exception;

  /** Whether it gives this. */
  default boolean gives(Feature feature) {
    return features().contains(feature);
  }
}
