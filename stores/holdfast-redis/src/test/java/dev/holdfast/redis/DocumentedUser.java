package dev.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The user that the page of a store makes, with exactly the rights that stand there. */
public final class DocumentedUser {

  private static final Pattern RULE = Pattern.compile("ACL SETUSER (locks .*?)```", Pattern.DOTALL);

  private DocumentedUser() {}

  /** For redis.conf. */
  public static String setting(String... more) {
    return of("redis.md", more);
  }

  /** The same, of another page in docs/stores. */
  public static String of(String page, String... more) {
    Matcher rule = RULE.matcher(read(page));
    if (!rule.find()) {
      throw new IllegalStateException("docs/stores/" + page + " has no ACL SETUSER locks");
    }
    String words = rule.group(1).strip().replaceAll("\\s+", " ").replace("PASSWORD", "s3cr%et");
    return "user " + words + " " + String.join(" ", more);
  }

  /** The same address as this user. */
  public static String url(String url) {
    return url.replace("://", "://locks:s3cr%25et@");
  }

  public static String read(String page) {
    try {
      return Files.readString(Path.of("../../docs/stores", page));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
