package dev.holdfast.foreign.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.foreign.Clients;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;

/** ShedLock's tests of a lock provider whose locks can be extended. */
public class ProviderSuite extends AbstractExtensibleLockProviderIntegrationTest {

  @Override
  protected ExtensibleLockProvider getLockProvider() {
    return new Provider();
  }

  @Override
  protected void assertUnlocked(String lockName) {
    assertThat(isHeld(lockName)).isFalse();
  }

  @Override
  protected void assertLocked(String lockName) {
    assertThat(isHeld(lockName)).isTrue();
  }

  private static boolean isHeld(String lockName) {
    Clients clients = Clients.current();
    return !clients.mine().inspect(clients.name(lockName)).holders().isEmpty();
  }
}
