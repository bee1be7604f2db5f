package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.MemoryProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores are found whatever the thread's context class loader is. */
class StoresTest {

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @TempDir Path folder;

  @AfterEach
  void restore() {
    Thread.currentThread().setContextClassLoader(before);
  }

  /** Such as on a thread of the common pool in an application that loads its jars by itself. */
  @Test
  void a_context_class_loader_that_knows_no_store_hides_none() {
    assertFound(ClassLoader.getPlatformClassLoader());
    assertFound(null);
  }

  /** Such as when Holdfast is in a server's shared folder and the store in an application. */
  @Test
  void a_store_that_only_the_context_class_loader_knows_is_found() throws Exception {
    context(ContextProvider.loader(folder));

    assertThat(Stores.providers().get("context")).isInstanceOf(ContextProvider.class);
    assertThat(Stores.providers().get("memory")).isInstanceOf(MemoryProvider.class);
  }

  /** Its providers are of another copy of the interface, and no use here. */
  @Test
  void a_context_class_loader_with_another_holdfast_does_no_harm() throws Exception {
    URL classes = Holdfast.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader other =
        new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
      assertFound(other);
    }
  }

  private static void assertFound(@Nullable ClassLoader loader) {
    context(loader);
    try (Holdfast locks = Holdfast.connect("memory:stores-test")) {
      assertThat(locks).hasToString("Holdfast[memory:stores-test]");
    }
  }

  private static void context(@Nullable ClassLoader loader) {
    Thread.currentThread().setContextClassLoader(loader);
  }
}
