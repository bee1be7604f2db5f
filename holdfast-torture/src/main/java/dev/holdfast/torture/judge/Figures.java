package dev.holdfast.torture.judge;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.What;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a history counts.
 *
 * @param grants by construct
 * @param outcomes of attempts: how often there was each
 * @param written writes that the ledger took, and those of them that were late
 * @param refused writes and entries that the fence refused
 * @param losses leases whose caller learned of their loss
 * @param takeovers after a kill
 * @param hung attempts of living workers that were never decided
 * @param unexpected exceptions that nobody should see
 * @param workers how many processes there were
 */
public record Figures(
    Map<Construct, Long> grants,
    Map<What, Long> outcomes,
    long written,
    long late,
    long refused,
    long losses,
    List<Takeover> takeovers,
    List<Observation> hung,
    List<Observation> unexpected,
    int workers) {

  private static final String UNEXPECTED = "unexpected: ";

  static Figures of(List<Observation> observations) {
    Map<Construct, Long> grants = new TreeMap<>();
    Map<What, Long> outcomes = new TreeMap<>();
    Map<String, Observation> open = new HashMap<>();
    List<Observation> unexpected = new ArrayList<>();
    Set<String> clients = new HashSet<>();
    long late = 0;
    for (Observation o : observations) {
      outcomes.merge(o.what(), 1L, Long::sum);
      String attempt = o.client() + "#" + o.attempt();
      switch (o.what()) {
        case ASKED -> {
          open.put(attempt, o);
          clients.add(o.client());
        }
        case GRANTED, ATTACHED -> {
          grants.merge(o.construct(), 1L, Long::sum);
          open.remove(attempt);
        }
        case BUSY, UNKNOWN, CANCELLED, REFUSED -> open.remove(attempt);
        case CRASHED -> open.values().removeIf(asked -> asked.client().equals(o.client()));
        case WROTE -> late += o.text().isEmpty() ? 0 : 1;
        default -> {
          // Counted above.
        }
      }
      if (o.text().startsWith(UNEXPECTED)) {
        unexpected.add(o);
      }
    }
    return new Figures(
        grants,
        outcomes,
        outcomes.getOrDefault(What.WROTE, 0L),
        late,
        outcomes.getOrDefault(What.STALE, 0L),
        outcomes.getOrDefault(What.LOST, 0L),
        Takeover.of(observations),
        List.copyOf(open.values()),
        unexpected,
        clients.size());
  }

  /** {@return how many grants there were} */
  public long allGrants() {
    return sum(grants.values());
  }

  /** {@return the takeovers while servers ran, the shortest first; in nanoseconds} */
  public List<Long> calmTakeovers() {
    return takeovers.stream().filter(Takeover::calm).map(Takeover::nanos).sorted().toList();
  }

  private static long sum(Collection<Long> all) {
    return all.stream().mapToLong(Long::longValue).sum();
  }
}
