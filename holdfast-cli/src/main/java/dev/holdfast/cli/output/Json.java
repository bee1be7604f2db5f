package dev.holdfast.cli.output;

import dev.holdfast.PrintableText;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON: maps, lists, strings, numbers, booleans and null. Tokens are passed as strings,
 * because they do not fit the numbers of JavaScript. Text is exact, and so escaped that it can be
 * shown: others wrote much of it.
 */
public final class Json {

  private Json() {}

  /** The value as one line. */
  public static String of(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  private static void write(StringBuilder out, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      char separator = '{';
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(separator).append(PrintableText.json(String.valueOf(entry.getKey())));
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
      out.append(PrintableText.json(value.toString()));
    }
  }
}
