package dev.holdfast.torture.nemesis;

import dev.holdfast.servers.ServerNode;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.history.HistoryFile;
import dev.holdfast.torture.store.FaultKind;
import dev.holdfast.torture.store.Target;
import java.util.List;

/** Causes faults of servers, and records what the store may have forgotten by them. */
final class ServerLane implements Causes {

  private static final String EVERYBODY = "*";
  private static final String STORE = "store";

  private final Target target;
  private final ServerFaults faults;
  private final Runnable settle;
  private final HistoryFile history;

  ServerLane(Target target, ServerFaults faults, Runnable settle, HistoryFile history) {
    this.target = target;
    this.faults = faults;
    this.settle = settle;
    this.history = history;
  }

  @Override
  public Outcome cause(PlannedFault fault) throws Exception {
    FaultKind kind = fault.kind();
    boolean hasLeader = target.faults().contains(FaultKind.LEADER_KILL);
    List<ServerNode> victims = faults.victims(kind, fault.choice(), hasLeader);
    long since = System.nanoTime();
    history.append(EVERYBODY, What.TROUBLE, "", kind.title());
    forget(kind);
    try {
      faults.begin(kind, victims, fault.choice());
      Causes.last(fault, since);
    } finally {
      faults.end(kind, victims);
      settle.run();
      forget(kind);
      history.append(EVERYBODY, What.CALM, "", kind.title());
    }
    return Outcome.done(victims.isEmpty() ? "the disk" : String.join(", ", names(victims)));
  }

  private void forget(FaultKind kind) {
    String why = target.forgets().get(kind);
    if (why != null) {
      history.append(STORE, What.FORGOT, "", why);
    }
  }

  private static List<String> names(List<ServerNode> victims) {
    return victims.stream().map(ServerNode::toString).toList();
  }
}
