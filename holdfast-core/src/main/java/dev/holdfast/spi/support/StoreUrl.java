package dev.holdfast.spi.support;

import dev.holdfast.spi.Credentials;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A store URL, taken apart: {@code
 * scheme://[user[:password]@]host[:port][,host[:port]…][/path][?name=value[&name=value…]]}. The
 * rules are the same for every store:
 *
 * <ul>
 *   <li>One {@code @} at most, which ends user and password. {@code @ / ? # % &} and, in the user's
 *       name, {@code :} are written as escapes ({@code %40}); a plus is a plus. A password alone is
 *       {@code :password@}.
 *   <li>Ports are from 1 to 65535, an IPv6 address stands in brackets, no host is given twice.
 *   <li>Parameters have a name and a value each, none is given twice, none is unknown; names are
 *       lower case with hyphens.
 *   <li>No spaces and no control characters, not even as escapes for the latter.
 * </ul>
 *
 * <p>Every complaint is an {@link IllegalArgumentException} that names the URL without its secrets.
 * URLs of JDBC drivers follow the rules of their drivers; of them, this class knows only the scheme
 * and what to hide.
 *
 * <p>Immutable.
 */
public final class StoreUrl {

  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m)");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,9}");
  private static final Pattern PARAMETER = Pattern.compile("[?&;(,]([^=?&;(),]+)=");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,40}");
  private static final Pattern HUMP = Pattern.compile("[._]|(?<=[a-z0-9])(?=[A-Z])");

  /**
   * A server.
   *
   * @param name or number, an IPv6 address without brackets
   * @param port from 1 to 65535
   */
  public record Host(String name, int port) {

    /** As it is written in URLs. */
    @Override
    public String toString() {
      return (name.contains(":") ? "[" + name + "]" : name) + ":" + port;
    }
  }

  private final String text;
  private final String scheme;
  private final Credentials login;
  private final List<Host> hosts;
  private final List<String> path;
  private final Map<String, String> parameters;

  StoreUrl(
      String text,
      String scheme,
      Credentials login,
      List<Host> hosts,
      List<String> path,
      Map<String, String> parameters) {
    this.text = text;
    this.scheme = scheme;
    this.login = login;
    this.hosts = List.copyOf(hosts);
    this.path = List.copyOf(path);
    this.parameters = Map.copyOf(parameters);
  }

  /**
   * Takes a URL apart.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static StoreUrl parse(String url) {
    return new StoreUrlParser(url).parse();
  }

  /** The scheme: what stands before the first colon, or the second for {@code jdbc:}. */
  public static String scheme(String url) {
    int colon = url.indexOf(':');
    if (colon > 0 && url.startsWith("jdbc:")) {
      colon = url.indexOf(':', colon + 1);
    }
    return colon < 0 ? "" : url.substring(0, colon);
  }

  /**
   * The URL, of any scheme, with every password in it replaced by {@code ***}. Where it is not
   * plain what is a secret and what is not, it counts as one.
   */
  public static String redact(String url) {
    return Redaction.ofUrl(url).text();
  }

  /**
   * The names of the parameters in a URL of any scheme, in their order, decoded and in lower case:
   * all that a driver could take for one, behind {@code ? & ; ( ,}.
   */
  public static List<String> parameterNames(String url) {
    return PARAMETER
        .matcher(Decoded.of(url).lowerCase())
        .results()
        .map(found -> found.group(1).strip())
        .toList();
  }

  /** The complaint about a URL of any scheme, in the form that all have. */
  public static IllegalArgumentException malformed(String url, String why) {
    return complaint(redact(url), why);
  }

  /** The complaint about this URL. */
  public IllegalArgumentException malformed(String why) {
    return complaint(text, why);
  }

  static IllegalArgumentException complaint(String redacted, String why) {
    return new IllegalArgumentException("malformed store URL '" + redacted + "': " + why);
  }

  /** What stands before the first colon. */
  public String scheme() {
    return scheme;
  }

  /**
   * The account to log in with: credentials given beside the URL override those in it.
   *
   * @throws IllegalArgumentException if there is a user without a password
   */
  public Credentials login(Credentials given) {
    String user = given.user() == null ? login.user() : given.user();
    String password = given.password() == null ? login.password() : given.password();
    if (user != null && password == null) {
      throw malformed("a user has no password; a password alone is written :password@");
    }
    return new Credentials(user, password);
  }

  /** As {@link #login}, for servers that know no password without a user. */
  public Credentials userAndPassword(Credentials given) {
    Credentials both = login(given);
    if (both.user() == null && both.password() != null) {
      throw malformed("a user and a password go together");
    }
    return both;
  }

  /** As {@link #login}, for servers that know tokens and no users; null for none. */
  public @Nullable String token(Credentials given) {
    Credentials both = login(given);
    if (both.user() != null) {
      throw malformed("there are no users here; a token is written :token@");
    }
    return both.password();
  }

  /** The servers, in the order of the URL; those without a port have this one. */
  public List<Host> hosts(int defaultPort) {
    List<Host> all =
        hosts.stream()
            .map(host -> host.port == 0 ? new Host(host.name, defaultPort) : host)
            .toList();
    Set<String> known = new HashSet<>();
    for (Host host : all) {
      if (!known.add(host.toString().toLowerCase(Locale.ROOT))) {
        throw malformed("the host " + host + " is given twice");
      }
    }
    return all;
  }

  /** The names between the slashes behind the hosts. */
  public List<String> path() {
    return path;
  }

  /** Refuses a path, for stores that have none. */
  public StoreUrl withoutPath() {
    if (!path.isEmpty()) {
      throw malformed("nothing but parameters may follow the hosts");
    }
    return this;
  }

  /** Refuses parameters other than these. */
  public StoreUrl knowing(String... names) {
    Set<String> known = Set.of(names);
    for (String name : new TreeSet<>(parameters.keySet())) {
      if (!known.contains(name)) {
        throw malformed(unknown(name, "", known));
      }
    }
    return this;
  }

  /**
   * What to say about a parameter that is not known: a former name gets the present one.
   *
   * @param prefix of this and all the known names
   */
  public static String unknown(String name, String prefix, Set<String> known) {
    String now = HUMP.matcher(name).replaceAll("-").toLowerCase(Locale.ROOT);
    if (known.contains(now)) {
      return "the parameter '" + prefix + name + "' is written '" + prefix + now + "'";
    }
    String all =
        known.stream()
            .sorted()
            .map(prefix::concat)
            .collect(Collectors.joining(", ", "there are ", ""));
    return NAME.matcher(name).matches()
        ? "unknown parameter '" + prefix + name + "'; " + all
        : "a parameter is unknown; " + all;
  }

  /** {@return whether the parameter is given} */
  public boolean has(String name) {
    return parameters.containsKey(name);
  }

  /** The parameter's value, or null. */
  public @Nullable String value(String name) {
    return parameters.get(name);
  }

  /** The parameter's value, or the other one. */
  public String value(String name, String otherwise) {
    return parameters.getOrDefault(name, otherwise);
  }

  /** A parameter that is true or false; false unless given. */
  public boolean isSet(String name) {
    return switch (value(name, "false")) {
      case "true" -> true;
      case "false" -> false;
      default -> throw malformed("'" + name + "' must be true or false");
    };
  }

  /** A parameter that is a whole number within these limits. */
  public int number(String name, int otherwise, int min, int max) {
    String value = parameters.get(name);
    return value == null ? otherwise : number("'" + name + "'", value, min, max);
  }

  /** A number in this URL, within these limits. */
  public int number(String what, String value, int min, int max) {
    if (NUMBER.matcher(value).matches()) {
      int number = Integer.parseInt(value);
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw malformed(what + " must be a number from " + min + " to " + max);
  }

  /** A parameter such as {@code 1500ms}, {@code 40s} or {@code 2m}, within these limits. */
  public Duration duration(String name, Duration otherwise, Duration min, Duration max) {
    String value = parameters.get(name);
    if (value == null) {
      return otherwise;
    }
    Matcher matcher = DURATION.matcher(value);
    if (!matcher.matches()) {
      throw malformed("'" + name + "' must look like 1500ms, 40s or 2m");
    }
    long number = Long.parseLong(matcher.group(1));
    Duration duration =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        };
    if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
      throw malformed(
          "'%s' must be from %d ms to %d ms".formatted(name, min.toMillis(), max.toMillis()));
    }
    return duration;
  }

  /**
   * Options with values of this URL, which may refuse them by an {@link IllegalArgumentException}:
   * it becomes a complaint about the URL.
   */
  public <T> T options(Supplier<T> make) {
    try {
      return make.get();
    } catch (IllegalArgumentException e) {
      throw malformed(String.valueOf(e.getMessage()));
    }
  }

  /** A parameter that names a file, which must be readable; null unless given. */
  public @Nullable Path file(String name) {
    String value = parameters.get(name);
    if (value == null) {
      return null;
    }
    try {
      Path file = Path.of(value);
      if (Files.isReadable(file) && !Files.isDirectory(file)) {
        return file;
      }
    } catch (InvalidPathException e) {
      // said below
    }
    throw malformed("the file of '" + name + "' cannot be read: " + value);
  }

  /**
   * The parameters {@code ca}, {@code cert}, {@code key} and {@code key-password}, as far as they
   * are known to the store.
   *
   * @param encrypted whether the store uses TLS
   * @param how what to write to have TLS
   */
  public TlsFiles tls(boolean encrypted, String how) {
    for (String name : List.of("ca", "cert", "key", "key-password")) {
      if (has(name) && !encrypted) {
        throw malformed("'" + name + "' needs TLS: " + how);
      }
    }
    if (has("cert") != has("key")) {
      throw malformed("'cert' and 'key' go together");
    }
    if (has("key-password") && !has("key")) {
      throw malformed("'key-password' goes with 'key'");
    }
    return new TlsFiles(file("ca"), file("cert"), file("key"), value("key-password"));
  }

  /** The URL without its secrets. */
  @Override
  public String toString() {
    return text;
  }
}
