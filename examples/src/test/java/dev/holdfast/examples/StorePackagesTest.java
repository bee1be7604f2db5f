package dev.holdfast.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.holdfast.Stores;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A store's API is its root package. What its sub-packages share is public in Java's sense, but
 * nobody else's.
 */
class StorePackagesTest {

  private static final JavaClasses CLASSES = new ClassFileImporter().importPackages("dev.holdfast");

  @Test
  void no_other_module_uses_the_sub_packages_of_a_store() {
    assertThat(stores()).contains("dev.holdfast.jdbc", "dev.holdfast.etcd", "dev.holdfast.redis");
    stores().forEach(store -> subPackages(store, store + "..").check(CLASSES));
  }

  @Test
  void a_use_of_a_sub_package_is_noticed() {
    ArchRule rule = subPackages("dev.holdfast.jdbc", "dev.holdfast.jdbc.dialect..");
    assertThat(rule.evaluate(CLASSES).getFailureReport().getDetails())
        .anyMatch(line -> line.contains("dev.holdfast.jdbc.JdbcLockStore"));
  }

  private static ArchRule subPackages(String store, String users) {
    return noClasses()
        .that()
        .resideOutsideOfPackage(users)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(store + ".*..")
        .because("only the root package of a store is API");
  }

  /** Their root packages, one for each module. */
  private static Stream<String> stores() {
    return Stores.modules().entrySet().stream()
        .filter(store -> !store.getValue().equals("holdfast-core"))
        .map(store -> Stores.providers().get(store.getKey()).getClass().getPackageName())
        .map(name -> name.replaceFirst("^(dev\\.holdfast\\.[a-z]+).*", "$1"))
        .distinct();
  }
}
