package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.LeaseLostException;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.ProofKey;
import dev.holdfast.RequestGuard;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.UntrustedProofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/HTTP-PROTOCOL.md tells other languages is what this module does. */
class HttpProtocolPageTest {

  private final String page = page();

  private static String page() {
    try {
      return Files.readString(Path.of("../docs/HTTP-PROTOCOL.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void its_proof_is_one() {
    Matcher header = Pattern.compile("^Holdfast-Proof: (\\S+)$", Pattern.MULTILINE).matcher(page);
    assertThat(header.find()).isTrue();
    Proof expected =
        new Proof(
            "orders",
            1794770057859897L,
            Mode.EXCLUSIVE,
            new Owner("web-3", 4121, "main", "c0ffee", "billing+7"));
    assertThat(Proof.parse(header.group(1))).isEqualTo(expected);
    assertThat(expected).hasToString(header.group(1));
  }

  @Test
  void its_statuses_and_types_are_all_there_are() {
    Map<String, Integer> documented = new TreeMap<>();
    Matcher row = Pattern.compile("\\| (\\d{3}) \\| `(urn:holdfast:[a-z-]+)` \\|").matcher(page);
    while (row.find()) {
      documented.put(row.group(2), Integer.valueOf(row.group(1)));
    }
    Map<String, Integer> made = new TreeMap<>();
    for (Problem problem :
        List.of(
            Problem.missing("a"),
            Problem.malformed("a", "what"),
            Problem.otherLock("a", "b"),
            Problem.of(unsigned()),
            Problem.of(new LeaseLostException("a", 1, "is lost")),
            Problem.of(new StaleTokenException("a", 1, 2)),
            Problem.of(new StoreException("a", "no answer")))) {
      made.put(problem.type(), problem.status());
      assertThat(problem.about().keySet()).allMatch(member -> page.contains("| `" + member + "`"));
    }
    assertThat(documented).isEqualTo(made);
  }

  private static UntrustedProofException unsigned() {
    Owner owner = new Owner("host", 1, "main", "client", "");
    try (Holdfast locks = Holdfast.connect("memory:")) {
      RequestGuard guard =
          RequestGuard.of(locks, Fence.inMemory())
              .requiring(List.of(ProofKey.of("key", new byte[32])));
      return catchThrowableOfType(
          UntrustedProofException.class,
          () -> guard.enter(new Proof("a", 1, Mode.EXCLUSIVE, owner)));
    }
  }

  @Test
  void its_limits_are_ours() {
    assertThat(page)
        .contains("| header | " + Gate.LONGEST / 1024 + " KiB |")
        .contains(Gate.MOST_DRAINED / 1024 + " KiB, and one second");
    assertThat(Gate.LONGEST_DRAIN).hasSeconds(1);
  }
}
