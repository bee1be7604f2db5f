package dev.holdfast.bench.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** What an independent harness measured before claims were kept, where a bar came from it. */
final class Before {

  private static final Map<String, String> FIGURES = read();

  private Before() {}

  /** By store, workload and bar. */
  static Optional<String> of(Verdict verdict) {
    String key = String.join("\t", verdict.store(), verdict.workload(), verdict.bar());
    return Optional.ofNullable(FIGURES.get(key));
  }

  static Map<String, String> figures() {
    return FIGURES;
  }

  private static Map<String, String> read() {
    try (InputStream in = Before.class.getResourceAsStream("before.tsv")) {
      InputStreamReader text =
          new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8);
      return new BufferedReader(text)
          .lines()
          .collect(
              Collectors.toMap(
                  line -> line.substring(0, line.lastIndexOf('\t')),
                  line -> line.substring(line.lastIndexOf('\t') + 1)));
    } catch (IOException e) {
      throw new UncheckedIOException("no earlier figures", e);
    }
  }
}
