package dev.holdfast.consul;

import dev.holdfast.spi.support.PrintableText;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The agents that the URL names. All requests go to one of them as long as it answers. */
final class Members {

  private static final System.Logger LOG = System.getLogger(Members.class.getName());

  private final List<String> addresses;
  private final AtomicInteger current = new AtomicInteger();

  /** Agents at such addresses: {@code http://host:8500}. */
  Members(List<String> addresses) {
    this.addresses = List.copyOf(addresses);
  }

  int size() {
    return addresses.size();
  }

  List<String> addresses() {
    return addresses;
  }

  /** The number of the agent to ask now. */
  int current() {
    return current.get();
  }

  String address(int number) {
    return addresses.get(number);
  }

  /** This one did not answer: the next one is asked from now on. */
  void failed(int number, String why) {
    int next = (number + 1) % addresses.size();
    if (next != number && current.compareAndSet(number, next)) {
      LOG.log(
          Level.WARNING,
          "No answer from {0} ({1}); going on with {2}",
          addresses.get(number),
          PrintableText.message(why),
          addresses.get(next));
    }
  }
}
