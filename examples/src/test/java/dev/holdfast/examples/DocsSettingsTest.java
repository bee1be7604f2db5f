package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of docs/API.md name every setting that there is, and no other. */
class DocsSettingsTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|");

  @Test
  void every_option_of_a_lock_has_a_row() {
    assertThat(rows("## Settings of a lock")).isEqualTo(settings(LockOptions.class));
  }

  @Test
  void every_setting_of_the_client_has_a_row() {
    assertThat(rows("## Settings of the client")).isEqualTo(settings(Holdfast.Builder.class));
  }

  /** The methods that take something and return the same type, to be called in a chain. */
  private static Set<String> settings(Class<?> type) {
    return Stream.of(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getReturnType() == type && method.getParameterCount() > 0)
        .map(Method::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> rows(String heading) {
    String page = Repository.read(Repository.root().resolve("docs/API.md"));
    int start = page.indexOf(heading + "\n");
    assertThat(start).as(heading).isNotNegative();
    int end = page.indexOf("\n## ", start);
    Set<String> named = new TreeSet<>();
    Matcher row = ROW.matcher(page.substring(start, end));
    while (row.find()) {
      named.add(row.group(1));
    }
    return named;
  }
}
