package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import dev.holdfast.spi.Encryption;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out whether connections are encrypted, from the server, and whether the driver verifies the
 * host's name, from its URL.
 */
public final class SqlEncryption {

  private static final Pattern HOSTS = Pattern.compile("//([^/?;]*)");

  private SqlEncryption() {}

  /**
   * Asks the server.
   *
   * @param query answers with something that is neither empty nor {@code f} if it is encrypted; in
   *     the last column, for servers that answer with more
   */
  public static Finding ask(StoreConnection connection, String query) throws SQLException {
    try (ResultSet rows = connection.prepare(query).executeQuery()) {
      String answer = rows.next() ? rows.getString(rows.getMetaData().getColumnCount()) : "";
      boolean encrypted = answer != null && !answer.isEmpty() && !answer.equals("f");
      return finding(String.valueOf(connection.jdbc().getMetaData().getURL()), encrypted);
    }
  }

  public static Finding finding(String url, boolean encrypted) {
    Encryption encryption = encrypted ? Encryption.UNVERIFIED : Encryption.NONE;
    if (encrypted && isVerified(url)) {
      encryption = Encryption.VERIFIED;
    }
    return encryption.finding(hosts(url), remedy(url));
  }

  private static boolean isVerified(String url) {
    String mode = parameter(url, "sslMode");
    return switch (driver(url)) {
      case "postgresql" ->
          mode.equals("verify-full")
              || (mode.isEmpty()
                  && parameter(url, "ssl").equals("true")
                  && parameter(url, "sslfactory").isEmpty());
      case "mysql" -> mode.equals("verify_identity");
      case "mariadb" -> mode.isEmpty() || mode.equals("verify-full") || mode.equals("verify_full");
      default -> false; // H2 verifies the certificate, but not the host name
    };
  }

  private static String remedy(String url) {
    return switch (driver(url)) {
      case "postgresql" -> "add sslmode=verify-full to the URL";
      case "mysql" -> "add sslMode=VERIFY_IDENTITY to the URL";
      case "mariadb" -> "add sslMode=verify-full to the URL";
      default -> "H2 has nothing better: use it on one host, or through a tunnel";
    };
  }

  private static String driver(String url) {
    return url.replaceFirst("^jdbc:", "").replaceFirst("[:+].*", "").toLowerCase(Locale.ROOT);
  }

  /** In lower case; empty if it is not given, true if it has no value. */
  private static String parameter(String url, String name) {
    Matcher matcher =
        Pattern.compile("(?i)[?&;]" + Pattern.quote(name) + "(?:=([^&;]*))?(?=[&;]|$)")
            .matcher(url);
    if (!matcher.find()) {
      return "";
    }
    return matcher.group(1) == null ? "true" : matcher.group(1).toLowerCase(Locale.ROOT);
  }

  /** Without user and password. A URL without hosts is one of this host. */
  private static List<String> hosts(String url) {
    Matcher matcher = HOSTS.matcher(url);
    List<String> hosts = new ArrayList<>();
    if (matcher.find()) {
      String all = matcher.group(1);
      for (String host : all.substring(all.lastIndexOf('@') + 1).split(",")) {
        if (!host.isEmpty()) {
          hosts.add(host);
        }
      }
    }
    return hosts;
  }
}
