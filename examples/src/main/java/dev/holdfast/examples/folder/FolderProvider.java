package dev.holdfast.examples.folder;

import dev.holdfast.Traits;
import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import java.nio.file.Path;
import java.util.Set;

/** Opens {@code folder:PATH}. */
public final class FolderProvider implements LockStoreProvider {

  private static final String SCHEME = "folder";

  private static final Traits TRAITS = RegisterLockStore.baseTraits().spansProcesses().build();

  /** For the service loader. */
  public FolderProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of(SCHEME);
  }

  @Override
  public Traits traits(String scheme) {
    return TRAITS;
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    String path = url.substring(SCHEME.length() + 1);
    if (path.isEmpty()) {
      throw new IllegalArgumentException("no folder in '" + url + "'; write folder:PATH");
    }
    FolderRegister register = new FolderRegister(Path.of(path));
    return new RegisterLockStore(register, TRAITS, settings.ticker());
  }
}
