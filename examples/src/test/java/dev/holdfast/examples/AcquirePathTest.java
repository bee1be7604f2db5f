package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.MethodEntryRequest;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Counts the hops of an uncontended acquire within the engine, in a JVM that a debugger steps
 * through. A hop is a call of a method that somebody wrote; constructors and the classes that the
 * compiler makes of lambdas are not.
 *
 * <p>Not in the core's own tests: its module does not read the debugger's, and an IDE that builds
 * tests as part of their module would need arguments for it.
 */
class AcquirePathTest {

  private static final int MOST_CALLS = 70;
  private static final int MOST_FILES = 12;

  /** What is counted: the acquire between {@link #begin} and {@link #end}. */
  static final class Acquire {
    private Acquire() {}

    public static void main(String[] arguments) throws InterruptedException {
      // Without leak reports: one acquisition of many is remembered with its stack.
      try (Holdfast locks =
          Holdfast.builder().store("memory:").leakReports(LeakReports.OFF).build()) {
        DistributedLock lock = locks.lock("x");
        lock.acquire().close(); // classes are loaded by now
        begin();
        Lease lease = lock.acquire();
        end();
        lease.close();
      }
    }

    private static void begin() {}

    private static void end() {}
  }

  @Test
  void an_uncontended_acquire_can_be_followed() throws Exception {
    List<String> calls = new ArrayList<>();
    Set<String> files = new TreeSet<>();
    for (Method method : hops()) {
      calls.add(method.declaringType().name() + "." + method.name());
      files.add(method.declaringType().sourceName());
    }
    assertThat(calls).contains("dev.holdfast.engine.state.Transitions.joinAnswered");
    assertThat(calls).as("calls").hasSizeLessThanOrEqualTo(MOST_CALLS);
    assertThat(files).as("files").hasSizeLessThanOrEqualTo(MOST_FILES);
  }

  private static List<Method> hops() throws Exception {
    VirtualMachine machine = launch();
    List<Method> hops = new ArrayList<>();
    try {
      EventRequestManager requests = machine.eventRequestManager();
      request(requests, Acquire.class.getName(), null);
      MethodEntryRequest engine = null;
      machine.resume();
      while (true) {
        EventSet events = machine.eventQueue().remove();
        for (Event event : events) {
          if (event instanceof VMDisconnectEvent) {
            return hops;
          }
          if (event instanceof MethodEntryEvent entry) {
            boolean mark = entry.method().declaringType().name().equals(Acquire.class.getName());
            String name = mark ? entry.method().name() : "";
            if (name.equals("begin")) {
              engine = request(requests, "dev.holdfast.engine.*", entry.thread());
            } else if (name.equals("end") && engine != null) {
              engine.disable();
            } else if (isHop(entry.method())) {
              hops.add(entry.method());
            }
          }
        }
        events.resume();
      }
    } finally {
      machine.process().destroy();
    }
  }

  private static VirtualMachine launch() throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments.get("main").setValue(Acquire.class.getName());
    String path =
        location(Holdfast.class) + System.getProperty("path.separator") + location(Acquire.class);
    arguments.get("options").setValue("-cp \"" + path + "\"");
    return connector.launch(arguments);
  }

  private static Path location(Class<?> known) throws Exception {
    return Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static MethodEntryRequest request(
      EventRequestManager requests, String classes, ThreadReference thread) {
    MethodEntryRequest request = requests.createMethodEntryRequest();
    request.addClassFilter(classes);
    if (thread != null) {
      request.addThreadFilter(thread);
    }
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    request.enable();
    return request;
  }

  private static boolean isHop(Method method) {
    try {
      method.declaringType().sourceName(); // hidden classes have none
    } catch (AbsentInformationException lambda) {
      return false;
    }
    return method.declaringType().name().startsWith("dev.holdfast.engine.")
        && !method.isConstructor()
        && !method.isStaticInitializer();
  }
}
