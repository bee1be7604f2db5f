package dev.holdfast.etcd;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Lets the tests of a contract run side by side: they use separate lock names and mostly wait for
 * ttls to end. Those that restart the server, count threads, start processes or make load run
 * alone.
 */
final class SideBySide implements ResourceLocksProvider {

  private static final Set<String> ALONE =
      Set.of("Restart", "Load", "VirtualThreads", "Processes", "Exclusion");

  @Override
  public Set<Lock> provideForMethod(
      List<Class<?>> enclosingTypes, Class<?> testClass, Method testMethod) {
    boolean alone = ALONE.contains(testClass.getSimpleName());
    return Set.of(
        new Lock("etcd", alone ? ResourceAccessMode.READ_WRITE : ResourceAccessMode.READ));
  }
}
