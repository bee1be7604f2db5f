package dev.holdfast.cli.command;

import dev.holdfast.Consistency;
import dev.holdfast.Holdfast;
import dev.holdfast.Stores;
import dev.holdfast.Traits;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.output.LockJson;
import dev.holdfast.cli.output.Table;
import dev.holdfast.spi.LockStoreProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast stores}: the stores that Holdfast knows, their traits, and the module to add for
 * those that this build lacks. Nothing is opened, unless {@code --store} asks about a particular
 * one.
 */
final class StoresCommand implements Command {

  /** A line of the answer: a scheme or a URL, and either its traits or the module it needs. */
  private record Store(String url, @Nullable Traits traits, @Nullable String module) {}

  @Override
  public Syntax syntax() {
    return Syntax.plain("stores").store().flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    List<Store> stores = arguments.has("--store") ? List.of(opened(arguments, console)) : known();
    if (arguments.has("--json")) {
      console.out().println(Json.of(json(stores)));
    } else {
      print(stores, console);
    }
    return ExitCodes.OK;
  }

  private static Store opened(Arguments arguments, Console console) {
    StoreChoice choice = StoreChoice.of(arguments, console);
    try (Holdfast client = choice.builder().build()) {
      return new Store(choice.redacted(), client.traits(), null);
    }
  }

  private static List<Store> known() {
    SortedMap<String, LockStoreProvider> providers = Stores.providers();
    SortedMap<String, String> modules = new TreeMap<>(Stores.modules());
    TreeSet<String> schemes = new TreeSet<>(modules.keySet());
    schemes.addAll(providers.keySet());
    List<Store> stores = new ArrayList<>();
    for (String scheme : schemes) {
      LockStoreProvider provider = providers.get(scheme);
      Traits traits = provider == null ? null : provider.traits(scheme);
      stores.add(new Store(scheme + ":", traits, modules.get(scheme)));
    }
    return stores;
  }

  private static List<Object> json(List<Store> stores) {
    List<Object> json = new ArrayList<>();
    for (Store store : stores) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      object.put("url", store.url);
      object.put("module", store.module);
      object.put("traits", store.traits == null ? null : LockJson.traits(store.traits));
      json.add(object);
    }
    return json;
  }

  private static void print(List<Store> stores, Console console) {
    Table table =
        new Table("STORE", "SPANS", "FAIR", "WAKE-UP", "DURABLE", "DETACHES", "GUARANTEE", "TTL");
    List<Store> missing = new ArrayList<>();
    for (Store store : stores) {
      Traits traits = store.traits;
      if (traits == null) {
        missing.add(store);
      } else {
        table.row(
            store.url,
            traits.spansProcesses() ? "processes" : "threads",
            yes(traits.fair()),
            traits.pushes() ? "pushed" : "polled",
            yes(traits.durable()),
            yes(traits.detachable()),
            traits.consistency() == Consistency.LINEARIZABLE ? "linearizable" : "best effort",
            Durations.format(traits.minTtl()) + " to " + Durations.format(traits.maxTtl()));
      }
    }
    table.print(console);
    for (Store store : missing) {
      console
          .out()
          .println(store.url + " is not in this build; add the module " + store.module + " to it");
    }
    console.out().println();
    console
        .out()
        .println(
            "Choosing a store: docs/CHOOSING.md. Migrating from another library:"
                + " docs/MIGRATING.md.");
  }

  private static String yes(boolean trait) {
    return trait ? "yes" : "no";
  }
}
