package dev.holdfast.foreign.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.cp.CPSubsystem;
import com.hazelcast.cp.internal.datastructures.lock.AbstractFencedLockBasicTest;
import java.lang.reflect.Proxy;

/**
 * Hazelcast's tests of a fenced lock. Its members are stand-ins: only their locks are asked for.
 */
public class FencedLockSuite extends AbstractFencedLockBasicTest {

  @Override
  protected String getProxyName() {
    return "lock";
  }

  @Override
  protected HazelcastInstance[] createInstances() {
    CPSubsystem locks =
        standIn(CPSubsystem.class, "getLock", arguments -> new Fenced((String) arguments[0]));
    return new HazelcastInstance[] {
      standIn(HazelcastInstance.class, "getCPSubsystem", arguments -> locks)
    };
  }

  @Override
  protected HazelcastInstance getPrimaryInstance() {
    return instances[0];
  }

  private interface Call {
    Object on(Object[] arguments);
  }

  private static <T> T standIn(Class<T> type, String method, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                return call.on(arguments);
              }
              throw new UnsupportedOperationException(called + " has nothing to do with locks");
            }));
  }
}
