package dev.holdfast.spi.support;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl.Host;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Takes one URL apart. No complaint quotes a part that could belong to a secret. */
final class StoreUrlParser {

  private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9-]*");
  private static final Pattern HOST =
      Pattern.compile("([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(?::([0-9]{1,5}))?");
  private static final Pattern NUMERIC = Pattern.compile("[0-9A-Fa-f]{1,4}");
  private static final Pattern UNREADABLE =
      Pattern.compile(".*[\\p{Cntrl}\\s\\p{Z}].*", Pattern.DOTALL);
  private static final int MAX_PORT = 65_535;

  private final String text;
  private final String url;

  StoreUrlParser(String url) {
    this.url = url;
    this.text = StoreUrl.redact(url);
  }

  StoreUrl parse() {
    String scheme = StoreUrl.scheme(url);
    if (!SCHEME.matcher(scheme).matches() || !url.startsWith("://", scheme.length())) {
      throw malformed("it must look like scheme://host:port");
    }
    String rest = url.substring(scheme.length() + 3);
    if (UNREADABLE.matcher(rest).matches()) {
      throw malformed("spaces and control characters are not allowed; write %20 for a space");
    }
    if (rest.indexOf('#') >= 0) {
      throw malformed("# has no meaning here; write %23 for a plain one");
    }
    int at = rest.indexOf('@');
    String login = at < 0 ? null : rest.substring(0, at);
    rest = rest.substring(at + 1);
    if (rest.indexOf('@') >= 0
        || login != null && (login.indexOf('/') >= 0 || login.indexOf('?') >= 0)) {
      throw malformed(
          "only one @ is allowed, before the first host; write %40, %2F and %3F for a plain @, / and ?");
    }
    int question = rest.indexOf('?');
    Map<String, String> parameters =
        question < 0 ? Map.of() : parameters(rest.substring(question + 1));
    rest = question < 0 ? rest : rest.substring(0, question);
    int slash = rest.indexOf('/');
    List<String> path = slash < 0 ? List.of() : path(rest.substring(slash + 1));
    return new StoreUrl(
        text,
        scheme,
        login(login),
        hosts(slash < 0 ? rest : rest.substring(0, slash)),
        path,
        parameters);
  }

  private Credentials login(@Nullable String login) {
    if (login == null) {
      return Credentials.none();
    }
    int colon = login.indexOf(':');
    return new Credentials(
        given(colon < 0 ? login : login.substring(0, colon)),
        given(colon < 0 ? "" : login.substring(colon + 1)));
  }

  private @Nullable String given(String part) {
    return part.isEmpty() ? null : decode(part);
  }

  private List<Host> hosts(String hosts) {
    List<Host> found = new ArrayList<>();
    for (String host : hosts.split(",", -1)) {
      found.add(host(host, found.size() + 1));
    }
    return found;
  }

  private Host host(String host, int number) {
    Matcher matcher = HOST.matcher(host);
    if (!matcher.matches()) {
      throw malformed(
          host.isEmpty()
              ? "host " + number + " is missing"
              : "host "
                  + number
                  + " is not a valid host, with or without a port; for example: host:6379 or"
                  + " [::1]:6379");
    }
    String name = matcher.group(1);
    String port = matcher.group(2);
    if (port != null && (Integer.parseInt(port) < 1 || Integer.parseInt(port) > MAX_PORT)) {
      throw malformed("the port of host " + number + " must be from 1 to 65535, not " + port);
    }
    if (name.startsWith("[")) {
      name = name.substring(1, name.length() - 1);
      if (!isIpv6(name)) {
        throw malformed("host " + number + " is not a valid IPv6 address");
      }
    }
    return new Host(name, port == null ? 0 : Integer.parseInt(port));
  }

  private static boolean isIpv6(String address) {
    int gap = address.indexOf("::");
    if (gap != address.lastIndexOf("::") || address.contains(":::")) {
      return false;
    }
    int groups =
        groups(gap < 0 ? address : address.substring(0, gap), gap < 0)
            + groups(gap < 0 ? "" : address.substring(gap + 2), gap >= 0);
    return gap < 0 ? groups == 8 : groups <= 7;
  }

  /** How many groups of 16 bits; more than there can be if it is malformed. */
  private static int groups(String part, boolean last) {
    if (part.isEmpty()) {
      return 0;
    }
    int count = 0;
    String[] groups = part.split(":", -1);
    for (int i = 0; i < groups.length; i++) {
      boolean ipv4 = last && i == groups.length - 1 && groups[i].indexOf('.') > 0;
      if (ipv4 && groups[i].matches("(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?:\\.(?!$)|$)){4}")) {
        count += 2;
      } else if (NUMERIC.matcher(groups[i]).matches()) {
        count++;
      } else {
        return 100;
      }
    }
    return count;
  }

  private List<String> path(String path) {
    List<String> names = new ArrayList<>();
    for (String name : path.isEmpty() ? new String[0] : path.split("/", -1)) {
      if (name.isEmpty()) {
        throw malformed("the path has an empty part");
      }
      names.add(decode(name));
    }
    return names;
  }

  private Map<String, String> parameters(String query) {
    Map<String, String> parameters = new HashMap<>();
    for (String parameter : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      if (equals <= 0) {
        throw malformed("a parameter is written name=value; write %26 for a plain &");
      }
      String name = decode(parameter.substring(0, equals));
      if (parameters.put(name, decode(parameter.substring(equals + 1))) != null) {
        throw malformed("a parameter is given twice");
      }
    }
    return parameters;
  }

  private String decode(String part) {
    ByteBuffer bytes = ByteBuffer.allocate(3 * part.length());
    for (int i = 0; i < part.length(); ) {
      int next = part.offsetByCodePoints(i, 1);
      if (part.charAt(i) == '%') {
        next = Math.min(i + 3, part.length());
        String digits = part.substring(i + 1, next);
        if (!digits.matches("[0-9A-Fa-f]{2}")) {
          throw malformed("% must be followed by two hexadecimal digits; write %25 for a plain %");
        }
        bytes.put((byte) Integer.parseInt(digits, 16));
      } else {
        bytes.put(part.substring(i, next).getBytes(StandardCharsets.UTF_8));
      }
      i = next;
    }
    try {
      String decoded = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
      if (decoded.chars().anyMatch(Character::isISOControl)) {
        throw malformed("an escape stands for a control character");
      }
      return decoded;
    } catch (CharacterCodingException e) {
      throw malformed("the escapes are not UTF-8");
    }
  }

  private IllegalArgumentException malformed(String why) {
    return StoreUrl.complaint(text, why);
  }
}
