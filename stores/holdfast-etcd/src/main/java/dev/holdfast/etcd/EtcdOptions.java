package dev.holdfast.etcd;

import java.util.regex.Pattern;

/**
 * How locks are kept in etcd.
 *
 * @param prefix what all keys start with
 */
public record EtcdOptions(String prefix) {

  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:/@+-]{1,64}");
  private static final EtcdOptions DEFAULTS = new EtcdOptions("holdfast/");

  /** Refuses what would be hard to read or to grant rights on. */
  public EtcdOptions {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix '" + prefix + "' must be 1 to 64 of: letters, digits, . _ : / @ + -");
    }
  }

  /** Keys start with {@code holdfast/}. */
  public static EtcdOptions defaults() {
    return DEFAULTS;
  }
}
