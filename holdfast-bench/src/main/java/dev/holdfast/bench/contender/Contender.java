package dev.holdfast.bench.contender;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A contender: Holdfast, a peer used as its documentation says, or the floor.
 *
 * @param label what the report calls it; unique for its store
 * @param role why it takes part
 * @param features what it gives
 * @param opening makes a client, as one process would have it
 */
public record Contender(String label, Role role, Set<Feature> features, Opening opening) {

  /** Why it takes part. */
  public enum Role {
    /** What is judged. */
    HOLDFAST,
    /** Holdfast with other options: shown, not judged. */
    VARIANT,
    /** The least that could do; see {@link Floor}. */
    FLOOR,
    /** The floor with something that Holdfast cannot do without: shown, not judged. */
    LIMIT,
    /** Another library. */
    PEER
  }

  /** Makes a client. */
  public interface Opening {

    /** Of the server at this URL. */
    Client open(String url) throws Exception;
  }

  /** Another library. */
  public static Contender peer(String label, Set<Feature> features, Opening opening) {
    return new Contender(label, Role.PEER, features, opening);
  }

  /** A new client of the server at this URL. */
  public Client open(String url) throws Exception {
    return opening.open(url);
  }

  /** Returns whether it gives this. */
  public boolean gives(Feature feature) {
    return features.contains(feature);
  }

  /** The same on a server where it does not give this. */
  public Contender without(Feature... missing) {
    Set<Feature> fewer = EnumSet.copyOf(features);
    List.of(missing).forEach(fewer::remove);
    return new Contender(label, role, fewer, opening);
  }

  /** Returns whether it takes part where locks are waited for. */
  public boolean waits() {
    return role != Role.FLOOR && role != Role.LIMIT;
  }

  /** Returns whether it is more than another setting of Holdfast. */
  public boolean isItself() {
    return role != Role.VARIANT;
  }

  /** Returns whether others would use it instead of another: all but floors and other settings. */
  public boolean competes() {
    return waits() && isItself();
  }
}
