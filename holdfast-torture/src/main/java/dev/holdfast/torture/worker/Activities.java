package dev.holdfast.torture.worker;

import dev.holdfast.Kind;
import dev.holdfast.Traits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What the threads of a worker do, as far as its store can do it. */
final class Activities {

  private Activities() {}

  /** One for each thread. */
  static List<Function<Scene, Activity>> on(Traits traits) {
    List<Function<Scene, Activity>> all = new ArrayList<>();
    all.add(Mutexes::new);
    all.add(Mutexes::new); // two, so that the client passes the lock between its threads
    all.add(Several::new);
    if (traits.kinds().contains(Kind.READ_WRITE)) {
      all.add(ReadersAndWriters::new);
      all.add(ReadersAndWriters::new);
    }
    if (traits.kinds().contains(Kind.SEMAPHORE)) {
      all.add(Permits::new);
      all.add(Permits::new);
    }
    if (traits.kinds().contains(Kind.ELECTION)) {
      all.add(Candidates::new);
    }
    all.add(MaxHolds::new);
    if (traits.lingers()) {
      all.add(MinHolds::new);
    }
    if (traits.detachable()) {
      all.add(Detachments::new);
    }
    return all;
  }
}
