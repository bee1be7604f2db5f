package dev.holdfast.redis.script;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The keys of locks: {@code prefix{name}} and {@code prefix{name}:line}, which share a hash slot
 * because of the braces. Braces and percent signs of the name itself are escaped: a name that
 * starts with a brace would have an empty tag and spread over two slots.
 *
 * @param prefix of all keys and channels of one application
 */
public record Keys(String prefix) {

  public static final String DEFAULT_PREFIX = "holdfast:";

  // No braces, which mark hash slots; no blanks, which separate the fields of a record.
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:/@+-]{0,64}");

  /**
   * @return the prefix
   * @throws IllegalArgumentException if it cannot be part of a key
   */
  public static String checkPrefix(String prefix) {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix '" + prefix + "' must be at most 64 of: letters, digits, . _ : / @ + -");
    }
    return prefix;
  }

  public String lock(String name) {
    return prefix + "{" + escape(name) + "}"; // in one step: each claim needs it
  }

  /** {@return the other key of the lock with this one} */
  public static String line(String key) {
    return key + ":line";
  }

  public String fence(String name) {
    return prefix + "fence:" + tag(name);
  }

  public String channel(String client) {
    return prefix + "wake:" + client;
  }

  /** {@return the name of the lock with this key; null for any other key} */
  public @Nullable String name(String key) {
    if (!key.startsWith(prefix + "{") || !key.endsWith("}")) {
      return null;
    }
    return unescape(key.substring(prefix.length() + 1, key.length() - 1));
  }

  /**
   * @return matches the keys of all locks whose names start with this prefix, and perhaps others
   */
  public String pattern(String namePrefix) {
    return glob(prefix + "{" + escape(namePrefix)) + "*}";
  }

  /** {@return the hash tag of a lock's keys} */
  public static String tag(String name) {
    return "{" + escape(name) + "}";
  }

  private static String escape(String name) {
    return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
  }

  private static String unescape(String text) {
    return text.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
  }

  private static String glob(String text) {
    return text.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
  }
}
