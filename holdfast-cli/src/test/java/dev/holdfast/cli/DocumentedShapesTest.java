package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.cli.command.Command;
import dev.holdfast.cli.command.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code --json} prints has the shape that docs/CLI.md shows, and the other way round. */
class DocumentedShapesTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern SHAPE =
      Pattern.compile("<!-- shape: (\\w+) -->\\s*```json\\s*(.*?)```", Pattern.DOTALL);

  @RegisterExtension final Cli cli = new Cli();
  private final Map<String, String> documented = documented();

  @Test
  void every_command_prints_what_is_documented() throws Exception {
    String url = cli.storeUrl();
    Map<String, String> store = Map.of("HOLDFAST_STORE", url);
    try (Holdfast holder = Holdfast.connect(url);
        Holdfast waiter = Holdfast.connect(url)) {
      Lease lease = holder.lock("a", LockOptions.defaults().label("x")).acquire();
      CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync();
      Awaitility.await()
          .atMost(CliProcess.PATIENCE)
          .until(() -> !holder.inspect("a").waiters().isEmpty());
      check("show", InProcess.run(store, "show", "--json", "a"));
      InProcess ls = InProcess.run(store, "ls", "--json");
      assertThat(shape(JSON.readTree(ls.out).get(0))).isEqualTo(shape("show"));
      check("verify", InProcess.run(store, "verify", "--json", lease.proof().toString()));
      CliProcess watch = cli.start("watch", "--json").awaitOut("}\n");
      assertThat(shape(JSON.readTree(watch.out().lines().findFirst().orElse(""))))
          .isEqualTo(shape("watch"));
      check("break", InProcess.run(store, "break", "--json", "--yes", "a"));
      waiting.cancel(false);
    }
    InProcess acquired = InProcess.run(store, "acquire", "--json", "b");
    check("acquire", acquired);
    String handle = JSON.readTree(acquired.out).get("handle").textValue();
    Map<String, String> mine = Map.of("HOLDFAST_STORE", url, "HOLDFAST_HANDLE", handle);
    check("renew", InProcess.run(mine, "renew", "--json"));
    check("release", InProcess.run(mine, "release", "--json"));
    Path data = Files.writeString(cli.file("data.csv"), "");
    check("fence", InProcess.run("fence", "show", "--json", "--file", data.toString(), "a"));
    check("stores", InProcess.run(store, "stores", "--json"));
    check("completion", InProcess.run("completion", "--json", "fish"));
    check("version", InProcess.run("version", "--json"));
    InProcess doctor = InProcess.run(Map.of("HOLDFAST_STORE", "memory:"), "doctor", "--json");
    assertThat(shape(JSON.readTree(doctor.out))).isEqualTo(shape("doctor"));
  }

  @Test
  void every_command_that_has_json_is_documented() {
    for (String name : Commands.NAMES) {
      Command command = Commands.find(name);
      if (command != null && command.syntax().spec.findOption("--json") != null) {
        assertThat(documented).containsKey(name.equals("ls") ? "show" : name);
      }
    }
  }

  private void check(String command, InProcess result) throws Exception {
    assertThat(result.exitCode).as(command + ": " + result.err).isZero();
    assertThat(result.out).as("one line").hasLineCount(1).endsWith("\n");
    JsonNode node = JSON.readTree(result.out);
    // Of a list, the first element that has everything: others may lack their traits.
    assertThat(shape(node)).as(command).isEqualTo(shape(command));
  }

  private Map<String, String> shape(String command) throws Exception {
    return shape(JSON.readTree(documented.get(command)));
  }

  /** The type of each field by its path; null, which any field may have that can be, is text. */
  private static Map<String, String> shape(JsonNode node) {
    Map<String, String> shape = new TreeMap<>();
    collect("", node, shape);
    return shape;
  }

  private static void collect(String path, JsonNode node, Map<String, String> shape) {
    if (node.isObject()) {
      node.properties()
          .forEach(field -> collect(path + "." + field.getKey(), field.getValue(), shape));
    } else if (node.isArray()) {
      node.forEach(element -> collect(path + "[]", element, shape));
    } else {
      shape.putIfAbsent(path, node.isNull() ? "STRING" : node.getNodeType().name());
    }
  }

  private static Map<String, String> documented() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/CLI.md"))) {
      root = root.getParent();
    }
    Map<String, String> shapes = new TreeMap<>();
    Matcher matcher = SHAPE.matcher(CliProcess.read(root.resolve("docs/CLI.md")));
    while (matcher.find()) {
      shapes.put(matcher.group(1), matcher.group(2));
    }
    return shapes;
  }
}
