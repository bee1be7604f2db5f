package dev.holdfast.etcd;

import dev.holdfast.StoreException;

/** The deadline of a request has passed without an answer; another one may have more time. */
final class NoAnswerException extends StoreException {

  private static final long serialVersionUID = 1L;

  /**
   * @param request which one, as in "the release of 'lock'"
   */
  static String message(String url, String request, String why) {
    return "No answer from "
        + url
        + " to the "
        + request
        + ": it may or may not have taken effect ("
        + why
        + ").";
  }

  NoAnswerException(String lock, String url, String request, String why, Throwable cause) {
    super(lock, message(url, request, why), cause);
  }
}
