package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockInfo;
import dev.holdfast.jdbc.queue.NamePrefix;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A prefix as a range of names. */
class NamePrefixTest {

  @TempDir Path directory;

  @Test
  void the_end_is_the_next_text_that_does_not_start_with_the_prefix() {
    assertThat(NamePrefix.end("a")).isEqualTo("b");
    assertThat(NamePrefix.end("a/%")).isEqualTo("a/&");
    assertThat(NamePrefix.end("a\uD7FF")).isEqualTo("a\uE000"); // past the surrogates
    assertThat(NamePrefix.end("a\uFFFF")).isEqualTo("a\uD800\uDC00");
    assertThat(NamePrefix.end("a\uDBFF\uDFFF")).isEqualTo("b"); // past the last character
    assertThat(NamePrefix.end("\uDBFF\uDFFF")).isNull();
    assertThat(NamePrefix.end("")).isNull();
  }

  @Test
  void half_a_surrogate_pair_starts_no_name() throws Exception {
    try (TestDatabase database = new TestDatabase(directory)) {
      LockStore store = database.open();
      Ask.join(store, Ask.mutex("?"));

      assertThat(Ask.of(store.list("\uD800", 10))).isEmpty();
      assertThat(Ask.of(store.list("?", 0))).isEmpty();
    }
  }

  @Test
  void a_list_has_exactly_the_names_that_start_with_the_prefix() throws Exception {
    List<String> characters =
        List.of("a", "A", "%", "_", " ", "'", "\uD7FF", "\uE000", "\uFFFF", "\uDBFF\uDFFF", "🔒");
    Random random = new Random(42);
    try (TestDatabase database = new TestDatabase(directory)) {
      LockStore store = database.open();
      TreeSet<String> names = new TreeSet<>();
      for (int i = 0; i < 150; i++) {
        names.add("x" + text(characters, random, 3));
      }
      names.forEach(name -> Ask.join(store, Ask.mutex(name)));

      for (int i = 0; i < 100; i++) {
        String prefix = text(List.of("x", "xa", "x🔒", "x\uDBFF\uDFFF", "x%", "x_"), random, 1);
        assertThat(Ask.of(store.list(prefix, 1000)).stream().map(LockInfo::name))
            .as("names from '%s' on", prefix)
            .containsExactlyInAnyOrderElementsOf(
                names.stream().filter(name -> name.startsWith(prefix)).toList());
      }
    }
  }

  private static String text(List<String> parts, Random random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(parts.get(random.nextInt(parts.size())));
    }
    return text.toString();
  }
}
