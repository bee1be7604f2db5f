package dev.holdfast.examples;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.MethodEntryRequest;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The hops of an uncontended acquire within some packages, in a JVM that a debugger steps through.
 * A hop is a call of a method that somebody wrote, on any thread; constructors and the classes that
 * the compiler makes of lambdas are not. Of several acquires the shortest counts: others have work
 * of the background in between.
 *
 * <p>Not in the core's own tests: its module does not read the debugger's, and an IDE that builds
 * tests as part of their module would need arguments for it.
 *
 * @param calls in order, as {@code package.Type.method}
 * @param files that the methods are in
 */
record AcquirePath(List<String> calls, List<String> files) {

  private static final int ACQUIRES = 15;

  /** What is counted: the acquires, each between {@link #begin} and {@link #end}. */
  static final class Acquire {
    private Acquire() {}

    public static void main(String[] arguments) throws InterruptedException {
      // Without leak reports: one acquisition of many is remembered with its stack.
      try (Holdfast locks =
          Holdfast.builder()
              .store(arguments[0])
              .operationTimeout(Duration.ofSeconds(60)) // a debugger is slow
              .leakReports(LeakReports.OFF)
              .build()) {
        // Never kept: a client that comes back to a kept lock does not ask the store at all.
        DistributedLock lock = locks.lock("x", LockOptions.defaults().keepIdle(Duration.ZERO));
        lock.acquire().close(); // classes are loaded by now
        for (int i = 0; i < ACQUIRES; i++) {
          begin();
          Lease lease = lock.acquire();
          end();
          lease.close();
        }
      }
    }

    private static void begin() {}

    private static void end() {}
  }

  /**
   * Follows a few acquires.
   *
   * @param store its URL
   * @param packages in which calls are counted; {@code a.b.*} includes what is below
   */
  static AcquirePath follow(String store, List<String> packages) throws Exception {
    VirtualMachine machine = launch(store);
    try {
      return shortest(acquires(machine, packages));
    } finally {
      machine.process().destroy();
    }
  }

  private static AcquirePath shortest(List<List<Method>> acquires) {
    List<Method> hops =
        acquires.stream()
            .min(Comparator.comparing(List::size))
            .orElseThrow(() -> new IllegalStateException("nothing was acquired"));
    return new AcquirePath(
        hops.stream().map(hop -> hop.declaringType().name() + "." + hop.name()).toList(),
        hops.stream().map(AcquirePath::file).distinct().sorted().toList());
  }

  private static List<List<Method>> acquires(VirtualMachine machine, List<String> packages)
      throws Exception {
    EventRequestManager requests = machine.eventRequestManager();
    ClassPrepareRequest prepared = requests.createClassPrepareRequest();
    prepared.addClassFilter(Acquire.class.getName());
    prepared.enable();
    List<MethodEntryRequest> counted =
        packages.stream().map(name -> entries(requests, name)).toList();
    List<List<Method>> acquires = new ArrayList<>();
    machine.resume();
    while (true) {
      EventSet events = machine.eventQueue().remove();
      for (Event event : events) {
        if (event instanceof VMDisconnectEvent) {
          return acquires;
        } else if (event instanceof ClassPrepareEvent acquire) {
          stopAt(requests, acquire.referenceType(), "begin");
          stopAt(requests, acquire.referenceType(), "end");
        } else if (event instanceof BreakpointEvent mark) {
          boolean begins = mark.location().method().name().equals("begin");
          counted.forEach(request -> request.setEnabled(begins));
          if (begins) {
            acquires.add(new ArrayList<>());
          }
        } else if (event instanceof MethodEntryEvent entry && isHop(entry.method())) {
          acquires.get(acquires.size() - 1).add(entry.method());
        }
      }
      events.resume();
    }
  }

  private static void stopAt(EventRequestManager requests, ReferenceType type, String method) {
    requests.createBreakpointRequest(type.methodsByName(method).get(0).location()).enable();
  }

  private static MethodEntryRequest entries(EventRequestManager requests, String classes) {
    MethodEntryRequest request = requests.createMethodEntryRequest();
    request.addClassFilter(classes);
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    return request;
  }

  private static boolean isHop(Method method) {
    return !file(method).isEmpty() && !method.isConstructor() && !method.isStaticInitializer();
  }

  /** Empty for a class that was made of a lambda. */
  private static String file(Method method) {
    try {
      return method.declaringType().sourceName();
    } catch (AbsentInformationException lambda) {
      return "";
    }
  }

  private static VirtualMachine launch(String store) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments.get("main").setValue(Acquire.class.getName() + " \"" + store + "\"");
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    arguments.get("options").setValue("-cp \"" + path + "\"");
    VirtualMachine machine = connector.launch(arguments);
    // Nobody reads what it logs, and a full pipe would stop it.
    machine.process().getInputStream().close();
    machine.process().getErrorStream().close();
    return machine;
  }
}
