package dev.holdfast;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who claims a lock: enough to find the process at night. It holds no secret and proves nothing.
 *
 * @param host name of the machine
 * @param pid the process
 * @param thread name of the thread that asked first
 * @param client random id of the {@link Holdfast} client; two clients never share one
 * @param label what the user called it, or empty
 */
public record Owner(String host, long pid, String thread, String client, String label) {

  private static final Pattern SEPARATOR = Pattern.compile(";");

  /** The form in which stores keep an owner; {@link #parse} reads it back. */
  public String encode() {
    return String.join(
        ";", escape(host), Long.toString(pid), escape(thread), escape(client), escape(label));
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException if the text is not an owner
   */
  public static Owner parse(String text) {
    String[] parts = SEPARATOR.split(text, -1);
    if (parts.length != 5) {
      throw new IllegalArgumentException(
          "not an owner: '" + text + "'; expected host;pid;thread;client;label");
    }
    return new Owner(
        unescape(parts[0]),
        Long.parseLong(parts[1]),
        unescape(parts[2]),
        unescape(parts[3]),
        unescape(parts[4]));
  }

  /** For stores whose record may lack an owner. */
  public static @Nullable Owner parseNullable(@Nullable String text) {
    return text == null ? null : parse(text);
  }

  /** As messages show it: {@code billing-7 (host web-3, pid 4121)}. */
  public String describe() {
    String place = "host " + host + ", pid " + pid;
    return label.isEmpty() ? place + ", thread " + thread : label + " (" + place + ")";
  }

  private static String escape(String text) {
    return isPlain(text) ? text : URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Nearly always; an owner is written with each claim, and the encoder takes its time. */
  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-') {
        return false;
      }
    }
    return true;
  }

  private static String unescape(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
