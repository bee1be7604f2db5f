package dev.holdfast.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON: maps, lists, strings, numbers, booleans and null. Tokens are passed as strings,
 * because they do not fit the numbers of JavaScript.
 */
final class Json {

  private static final String HEX = "0123456789abcdef";

  private Json() {}

  /** The value as one line. */
  static String of(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  private static void write(StringBuilder out, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      char separator = '{';
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        string(out.append(separator), String.valueOf(entry.getKey()));
        write(out.append(':'), entry.getValue());
        separator = ',';
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      char separator = '[';
      for (Object element : list) {
        write(out.append(separator), element);
        separator = ',';
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      string(out, value.toString());
    }
  }

  private static void string(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
        // Surrogates are escaped one by one: correct for pairs, and a lone half stays valid JSON.
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          out.append(HEX.charAt((c >> shift) & 15));
        }
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
