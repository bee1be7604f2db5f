package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.promise.Construct;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** What simulations have done, counted. Not thread-safe. */
public final class Stats {

  // Mutable state
  long requests;
  private long keptGrants;
  private long simulations;
  private final Map<Construct, Long> grants = new EnumMap<>(Construct.class);
  private final Map<String, Long> events = new TreeMap<>();

  void granted(Construct construct) {
    grants.merge(construct, 1L, Long::sum);
  }

  void grantedAgain() {
    keptGrants++;
  }

  void happened(Object event) {
    events.merge(event.toString(), 1L, Long::sum);
  }

  void ended() {
    simulations++;
  }

  void add(Stats other) {
    requests += other.requests;
    keptGrants += other.keptGrants;
    simulations += other.simulations;
    other.grants.forEach((construct, count) -> grants.merge(construct, count, Long::sum));
    other.events.forEach((event, count) -> events.merge(event, count, Long::sum));
  }

  /** {@return how many simulations there were} */
  public long simulations() {
    return simulations;
  }

  /** {@return how often a lock was granted as this} */
  public long grants(Construct construct) {
    return grants.getOrDefault(construct, 0L);
  }

  /** {@return how often a lock was granted without a request, by a claim that was kept} */
  public long keptGrants() {
    return keptGrants;
  }

  /** {@return how often any lock was granted} */
  public long grants() {
    return grants.values().stream().mapToLong(Long::longValue).sum();
  }

  /** {@return how many requests clients have sent to stores} */
  public long requests() {
    return requests;
  }

  /** {@return how often what happened: steps of schedules, faults of networks, deeds of callers} */
  public Map<String, Long> events() {
    return Map.copyOf(events);
  }

  @Override
  public String toString() {
    return "grants "
        + grants
        + ", of kept claims "
        + keptGrants
        + ", requests "
        + requests
        + ", events "
        + events;
  }
}
