package dev.holdfast.memcached;

/**
 * Where a server listens.
 *
 * @param host name or number
 * @param port the TCP port
 */
record Address(String host, int port) {

  static final int DEFAULT_PORT = 11211;

  /**
   * Reads {@code host}, {@code host:port} or {@code [::1]:port}.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  static Address parse(String text) {
    int bracket = text.lastIndexOf(']');
    int colon = text.indexOf(':', Math.max(0, bracket));
    String host = colon < 0 ? text : text.substring(0, colon);
    if (host.startsWith("[") && bracket == host.length() - 1) {
      host = host.substring(1, bracket);
    }
    if (host.isBlank() || host.contains("/") || host.contains("[") || host.contains("]")) {
      throw new IllegalArgumentException("'" + text + "' is no server; for example: cache-1:11211");
    }
    return new Address(host, colon < 0 ? DEFAULT_PORT : port(text, text.substring(colon + 1)));
  }

  private static int port(String address, String text) {
    try {
      int port = Integer.parseInt(text);
      if (port > 0 && port < 65_536) {
        return port;
      }
    } catch (NumberFormatException e) {
      // the message below names it
    }
    throw new IllegalArgumentException("'" + address + "' has no port between 1 and 65535");
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
