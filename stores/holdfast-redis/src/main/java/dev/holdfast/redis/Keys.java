package dev.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * Under which keys a lock is kept: {@code prefix{name}} and {@code prefix{name}:line}, which share
 * a hash slot because of the braces. Braces and percent signs of the name itself are escaped, or a
 * name that starts with a brace would have an empty tag and spread over two slots.
 *
 * @param prefix in front of all keys and channels of one application
 */
record Keys(String prefix) {

  static final String LINE = ":line";

  String lock(String name) {
    return prefix + "{" + escape(name) + "}";
  }

  String line(String name) {
    return lock(name) + LINE;
  }

  /** The name behind the key of a lock; null for any other key. */
  @Nullable String name(String key) {
    if (!key.startsWith(prefix + "{") || !key.endsWith("}")) {
      return null;
    }
    return unescape(key.substring(prefix.length() + 1, key.length() - 1));
  }

  /** Matches the keys of the locks whose names start so, and perhaps a few others. */
  String pattern(String namePrefix) {
    return glob(prefix + "{" + escape(namePrefix)) + "*}";
  }

  String channel(String client) {
    return prefix + "wake:" + client;
  }

  static String escape(String name) {
    return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
  }

  private static String unescape(String text) {
    return text.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
  }

  private static String glob(String text) {
    return text.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
  }
}
