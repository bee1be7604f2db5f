package dev.holdfast.foreign;

import dev.holdfast.foreign.curator.MultiLockSuite;
import dev.holdfast.foreign.curator.MutexSuite;
import dev.holdfast.foreign.hazelcast.FencedLockSuite;
import dev.holdfast.foreign.shedlock.ProviderSuite;
import java.util.Map;
import org.apache.curator.framework.recipes.locks.TestInterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.TestInterProcessSemaphore;

/** A suite, and those of its tests that are left out, with the reason. */
enum Suite {
  CURATOR_MUTEX(MutexSuite.class, Curator.MUTEX),
  CURATOR_SEVERAL_LOCKS(MultiLockSuite.class, Curator.MUTEX),
  CURATOR_READ_WRITE_LOCK(TestInterProcessReadWriteLock.class, Curator.READ_WRITE_LOCK),
  CURATOR_SEMAPHORE(TestInterProcessSemaphore.class, Curator.SEMAPHORE),
  SHEDLOCK_PROVIDER(ProviderSuite.class, ShedLock.PROVIDER),
  HAZELCAST_FENCED_LOCK(FencedLockSuite.class, Hazelcast.FENCED_LOCK);

  private static final class Curator {
    static final Map<String, String> MUTEX =
        Map.of(
            "testKilledSession", "kills the session of Curator's client, which holds nothing",
            "testReentrant2Threads",
                "one thread holds for 10 s, another waits for as long: a race");
    static final Map<String, String> READ_WRITE_LOCK =
        Map.of(
            "testGetParticipantNodes", "readers of one client share a claim",
            "testSetNodeData", "sets the data of ZooKeeper's node",
            "testLockPath", "asks for the path of ZooKeeper's node");
    static final Map<String, String> SEMAPHORE =
        Map.of(
            "testThreadedLeaseIncrease", "the number of permits of a lock in use is fixed",
            "testClientClose", "closes Curator's client, which holds nothing",
            "testAcquireAfterLostServer", "steps through Curator's own acquire",
            "testInterruptAcquire", "waits inside of Curator's own acquire",
            "testNoOrphanedNodes", "counts ZooKeeper's nodes");
  }

  private static final class ShedLock {
    static final Map<String, String> PROVIDER =
        Map.of(
            "shouldNotBeAbleToExtendExpiredLock", "2 ms are shorter than the ttl of most stores");
  }

  private static final class Hazelcast {
    private static final String SESSION = "closes a session of Hazelcast's member";
    static final Map<String, String> FENCED_LOCK =
        Map.of(
            "testReentrantLockFails_whenSessionClosed", SESSION,
            "testReentrantTryLockFails_whenSessionClosed", SESSION,
            "testReentrantTryLockWithTimeoutFails_whenSessionClosed", SESSION,
            "testUnlockFails_whenSessionClosed", SESSION,
            "testUnlockFails_whenNewSessionCreated", SESSION,
            "testGetFenceFails_whenNewSessionCreated", SESSION,
            "testFailedTryLock_doesNotAcquireSession", SESSION,
            "testUnlock_whenPendingLockOfOtherThread", "counts waiters in Hazelcast's member",
            "test_destroy", "destroys Hazelcast's object");
  }

  final Class<?> tests;
  final Map<String, String> leftOut;

  Suite(Class<?> tests, Map<String, String> leftOut) {
    this.tests = tests;
    this.leftOut = leftOut;
  }
}
