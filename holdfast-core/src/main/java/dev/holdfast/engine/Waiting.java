package dev.holdfast.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for one name, in the order in which they came. Not thread-safe: {@link
 * LocalQueue} guards it, and does what lands in the {@link Effects}.
 */
final class Waiting {

  // Mutable state
  private final ArrayDeque<Request> requests = new ArrayDeque<>(1);
  private int tries;

  void enqueue(Request request) {
    requests.addLast(request);
    if (!request.waits()) {
      tries++;
    }
  }

  /** Takes a request out. Whether it was there. */
  boolean remove(Request request) {
    boolean there = requests.remove(request);
    if (there && !request.waits()) {
      tries--;
    }
    return there;
  }

  void fail(Request request, RuntimeException cause, Effects effects) {
    if (remove(request)) {
      effects.add(() -> request.failed(cause));
    }
  }

  /**
   * Those who do not wait, and came before this moment, are told that somebody is ahead.
   *
   * @param weight what did not fit; a smaller request still may
   */
  void refuseTries(int weight, Moment moment, Effects effects) {
    requests.removeIf(
        request -> {
          boolean refused =
              !request.waits()
                  && request.spec.weight >= weight
                  && request.since - moment.nanos() <= 0;
          if (refused) {
            tries--;
            effects.add(request::busy);
          }
          return refused;
        });
  }

  /** A request that has waited long enough, but not yet for the answer to its own join. */
  void expire(Request request) {
    if (request.waits()) {
      request.expired = true;
      tries++;
    }
  }

  boolean contains(Request request) {
    return requests.contains(request);
  }

  /** Whether any of them does not wait. */
  boolean hasTries() {
    return tries > 0;
  }

  @Nullable Request head() {
    return requests.peekFirst();
  }

  int size() {
    return requests.size();
  }

  List<Request> all() {
    return new ArrayList<>(requests);
  }
}
