package dev.holdfast.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The versions of all libraries that take part, as Maven has resolved them. */
public final class Versions implements IVersionProvider {

  /** For picocli. */
  public Versions() {}

  @Override
  public String[] getVersion() {
    Properties versions = new Properties();
    try (InputStream in = Versions.class.getResourceAsStream("versions.properties")) {
      versions.load(Objects.requireNonNull(in));
    } catch (IOException e) {
      throw new UncheckedIOException("no versions", e);
    }
    return versions.stringPropertyNames().stream()
        .sorted()
        .map(name -> name + " " + versions.getProperty(name))
        .toArray(String[]::new);
  }
}
