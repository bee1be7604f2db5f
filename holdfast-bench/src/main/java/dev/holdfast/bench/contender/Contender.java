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
    /** Holdfast without hand-off and kept claims: each acquisition asks the server. */
    ASKING,
    /** Holdfast that hands off within a client for a slice, although others wait. */
    SLICED,
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

  /** Returns whether it is Holdfast, with whatever options. */
  public boolean isHoldfast() {
    return role == Role.HOLDFAST || role == Role.ASKING || role == Role.SLICED;
  }

  /** Returns whether it takes part where clients wait for each other. */
  public boolean waits() {
    return isHoldfast() || role == Role.PEER;
  }

  /** Returns whether it takes part where threads of one client wait, and nobody else. */
  public boolean waitsAlone() {
    return waits() && role != Role.SLICED;
  }

  /** Returns whether it takes part where each acquisition is to ask the server. */
  public boolean asks() {
    return role != Role.HOLDFAST && role != Role.SLICED;
  }

  /** Returns whether others would use it instead of another: all but floors and other settings. */
  public boolean competes() {
    return role == Role.HOLDFAST || role == Role.PEER;
  }
}
