package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Stores;
import dev.holdfast.examples.folder.FolderProvider;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that no file outside its folder names is found by its scheme, and works. */
class FolderStoreTest {

  @Test
  void a_store_is_found_by_its_scheme(@TempDir Path folder) throws InterruptedException {
    assertThat(Stores.providers().get("folder")).isInstanceOf(FolderProvider.class);
    try (Holdfast mine = Holdfast.builder().store("folder:" + folder).build();
        Holdfast other = Holdfast.builder().store("folder:" + folder).build();
        Lease lease = mine.lock("x").acquire()) {
      assertThat(lease.isValid()).isTrue();
      assertThat(other.lock("x").tryAcquire()).isNull();
    }
  }

  @Test
  void no_source_or_page_but_the_steps_for_a_new_store_names_it() {
    assertThat(Stream.concat(Repository.sources().stream(), Repository.documents().stream()))
        .filteredOn(file -> !file.getParent().endsWith("examples/folder"))
        .filteredOn(file -> Repository.read(file).contains("examples.folder."))
        .extracting(Repository::name)
        .containsExactly("examples/src/test/java/dev/holdfast/examples/FolderStoreTest.java");
  }
}
