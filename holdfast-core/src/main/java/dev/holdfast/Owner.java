package dev.holdfast;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The client and thread behind a claim: enough to find the process at night. It holds no secret and
 * proves nothing.
 *
 * <p>Others wrote it, in whatever form their store allows. So each part is kept to {@value
 * PrintableText#LONGEST_LABEL} characters, a longer one with an ellipsis at its end, and {@link
 * #describe} and {@link #toString} escape what could do harm on a terminal or in a log. The parts
 * themselves are as they were written: escape them before you show them.
 *
 * @param host name of the machine
 * @param pid the process
 * @param thread name of the thread that asked first
 * @param client random id of the {@link Holdfast} client; two clients never share one
 * @param label what the user called it, or empty
 */
public record Owner(String host, long pid, String thread, String client, String label) {

  private static final Pattern SEPARATOR = Pattern.compile(";");
  private static final int PARTS = 5;

  /** Shortens what is too long. */
  public Owner {
    host = PrintableText.shorten(host, PrintableText.LONGEST_LABEL);
    thread = PrintableText.shorten(thread, PrintableText.LONGEST_LABEL);
    client = PrintableText.shorten(client, PrintableText.LONGEST_LABEL);
    label = PrintableText.shorten(label, PrintableText.LONGEST_LABEL);
  }

  /** The form in which stores keep an owner; {@link #parse} reads it back. */
  public String encode() {
    return escape(host)
        + ';'
        + pid
        + ';'
        + escape(thread)
        + ';'
        + escape(client)
        + ';'
        + escape(label);
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException if the text is not an owner
   */
  public static Owner parse(String text) {
    String[] parts = SEPARATOR.split(text, PARTS + 1); // what has more is not an owner
    if (parts.length != PARTS) {
      throw notAnOwner(text);
    }
    try {
      return new Owner(
          unescape(parts[0]),
          Long.parseLong(parts[1]),
          unescape(parts[2]),
          unescape(parts[3]),
          unescape(parts[4]));
    } catch (IllegalArgumentException damaged) {
      throw notAnOwner(text); // without the cause, which quotes the text as it is
    }
  }

  private static IllegalArgumentException notAnOwner(String text) {
    return new IllegalArgumentException(
        "not an owner: "
            + PrintableText.quote(PrintableText.shorten(text, PrintableText.LONGEST_LABEL))
            + "; expected host;pid;thread;client;label");
  }

  /** For stores whose record may lack an owner. */
  public static @Nullable Owner parseNullable(@Nullable String text) {
    return text == null ? null : parse(text);
  }

  /** As messages show it: {@code billing-7 (host web-3, pid 4121)}. */
  public String describe() {
    String place = "host " + host + ", pid " + pid;
    return PrintableText.escape(
        label.isEmpty() ? place + ", thread " + thread : label + " (" + place + ")");
  }

  /** All parts, escaped. */
  @Override
  public String toString() {
    return PrintableText.escape(
        "Owner[host="
            + host
            + ", pid="
            + pid
            + ", thread="
            + thread
            + ", client="
            + client
            + ", label="
            + label
            + "]");
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
