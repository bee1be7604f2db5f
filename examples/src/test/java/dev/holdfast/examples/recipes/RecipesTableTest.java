package dev.holdfast.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each cell of the table in {@code docs/RECIPES.md} is shown by a test, and nothing else is. */
class RecipesTableTest {

  @Test
  void every_cell_of_the_table_is_shown_by_a_test() throws Exception {
    List<String> shown =
        Stream.of(
                SqlRecipesIT.class,
                RedisRecipesIT.class,
                ZooKeeperRecipesIT.class,
                EtcdRecipesIT.class)
            .flatMap(
                tests -> Stream.concat(Stream.of(tests), Stream.of(tests.getDeclaredClasses())))
            .flatMap(tests -> Stream.of(tests.getDeclaredMethods()))
            .flatMap(RecipesTableTest::shownBy)
            .toList();
    assertThat(shown).containsExactlyInAnyOrderElementsOf(cells());
  }

  private static Stream<String> shownBy(Method test) {
    Shows shows = test.getAnnotation(Shows.class);
    if (shows == null) {
      return Stream.empty();
    }
    assertThat(test.isAnnotationPresent(Test.class)).as("%s is a test", test).isTrue();
    return Stream.of(shows.value());
  }

  private static List<String> cells() throws Exception {
    Path page = Path.of("../docs/RECIPES.md");
    List<List<String>> rows =
        Files.readAllLines(page).stream()
            .filter(line -> line.startsWith("| "))
            .map(line -> Stream.of(line.split("\\|")).skip(1).map(String::strip).toList())
            .toList();
    List<String> columns = rows.get(0);
    List<String> cells = new ArrayList<>();
    for (List<String> row : rows.subList(2, rows.size())) {
      String section = row.get(0).replaceFirst(".*\\(#(.*)\\)", "$1");
      for (int i = 1; i < columns.size(); i++) {
        if (!row.get(i).isEmpty()) { // empty: no waiter is woken, because none watches
          cells.add(section + " | " + columns.get(i) + " | " + row.get(i));
        }
      }
    }
    return cells;
  }
}
