package dev.holdfast.cli;

/**
 * Colours and weights of a terminal, or none of them.
 *
 * @param on whether there are any
 */
record Style(boolean on) {

  String bold(String text) {
    return with("1", text);
  }

  String dim(String text) {
    return with("2", text);
  }

  String red(String text) {
    return with("31", text);
  }

  String green(String text) {
    return with("32", text);
  }

  String yellow(String text) {
    return with("33", text);
  }

  private String with(String code, String text) {
    return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
