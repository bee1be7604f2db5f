package dev.holdfast.cli;

import dev.holdfast.Consistency;
import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast stores}: the stores that this build can speak to, and their traits. Those that
 * need no server are opened for a moment; of the others, and of a particular one, {@code --store}
 * tells the traits.
 */
final class StoresCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.plain("stores").value("--store").flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws IOException {
    Map<String, @Nullable Traits> stores = new LinkedHashMap<>();
    if (arguments.has("--store")) {
      String url = StoreChoice.url(arguments, console);
      stores.put(StoreUrl.redact(url), traits(url));
    } else {
      TreeSet<String> schemes = new TreeSet<>();
      for (LockStoreProvider provider : ServiceLoader.load(LockStoreProvider.class)) {
        schemes.addAll(provider.schemes());
      }
      for (String scheme : schemes) {
        stores.put(scheme + ":", serverless(scheme));
      }
    }
    if (arguments.has("--json")) {
      console.out().println(Json.of(json(stores)));
    } else {
      console.out().print(table(stores));
    }
    return ExitCodes.OK;
  }

  /** The traits of a store that needs no server, or null. */
  private static @Nullable Traits serverless(String scheme) throws IOException {
    if (scheme.equals("memory")) {
      return traits("memory:");
    }
    if (!scheme.endsWith("sqlite")) {
      return null;
    }
    Path directory = Files.createTempDirectory("holdfast-stores");
    try {
      return traits(scheme + ":" + directory.resolve("traits.db"));
    } catch (StoreException e) {
      return null; // the temporary directory does not suit it, which says nothing about the store
    } finally {
      delete(directory);
    }
  }

  private static Traits traits(String url) {
    try (Holdfast client = Holdfast.connect(url)) {
      return client.traits();
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.delete(directory);
  }

  private static List<Object> json(Map<String, @Nullable Traits> stores) {
    List<Object> json = new ArrayList<>();
    stores.forEach(
        (url, traits) -> {
          Map<String, @Nullable Object> store = new LinkedHashMap<>();
          store.put("url", url);
          store.put("traits", traits == null ? null : LockJson.traits(traits));
          json.add(store);
        });
    return json;
  }

  private static Table table(Map<String, @Nullable Traits> stores) {
    Table table = new Table("STORE", "SPANS", "FAIR", "WAKE-UP", "DURABLE", "CONSISTENCY", "TTL");
    stores.forEach(
        (url, traits) -> {
          if (traits == null) {
            table.row(url, "(holdfast stores --store URL tells)", "", "", "", "", "");
          } else {
            table.row(
                url,
                traits.spansProcesses() ? "processes" : "threads",
                traits.fair() ? "yes" : "no",
                traits.pushes() ? "pushed" : "polled",
                traits.durable() ? "yes" : "no",
                traits.consistency() == Consistency.LINEARIZABLE ? "linearizable" : "best effort",
                Durations.format(traits.minTtl()) + " to " + Durations.format(traits.maxTtl()));
          }
        });
    return table;
  }
}
