package dev.holdfast.cli.output;

/**
 * Colours and weights of a terminal, or none of them.
 *
 * @param on whether there are any
 */
public record Style(boolean on) {

  String bold(String text) {
    return with("1", text);
  }

  public String dim(String text) {
    return with("2", text);
  }

  public String red(String text) {
    return with("31", text);
  }

  public String green(String text) {
    return with("32", text);
  }

  public String yellow(String text) {
    return with("33", text);
  }

  private String with(String code, String text) {
    return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
