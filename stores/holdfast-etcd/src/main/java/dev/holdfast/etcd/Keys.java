package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Where things are kept. A claim is at {@code prefix lock NUL / seat}: no lock's name holds a NUL,
 * so no two locks share a range, and ranges are in the order of names. What must stay out is at
 * {@code prefix NUL left/ id}, which is before all locks.
 */
record Keys(String prefix) {

  private static final String END = "\0/";
  private static final String AFTER_END = "\0" + (char) ('/' + 1);
  private static final String LEFT = "\0left/";

  ByteString seat(String lock, int number) {
    return bytes(prefix + lock + END + number);
  }

  ByteString tombstone(Claim claim) {
    return bytes(prefix + LEFT + claim.id());
  }

  ByteString first(String lock) {
    return bytes(prefix + lock + END);
  }

  ByteString after(String lock) {
    return bytes(prefix + lock + AFTER_END);
  }

  /** Where a list of locks that start so begins; tombstones are before it. */
  ByteString firstLike(String names) {
    return bytes(prefix + (names.isEmpty() ? "\1" : names));
  }

  /** What no key of a lock that starts so reaches. */
  ByteString afterLike(String names) {
    return following(bytes(prefix + names));
  }

  /** The lock that a claim's key belongs to; null if it is none of ours. */
  @Nullable String lock(ByteString key) {
    String text = key.toStringUtf8();
    int end = text.indexOf(END, prefix.length());
    return end < 0 ? null : text.substring(prefix.length(), end);
  }

  /** Whose entry this is. */
  ClaimKey claim(Entry entry) {
    String lock = lock(entry.key());
    return new ClaimKey(lock == null ? "" : lock, entry.id());
  }

  /** The end of the range that holds this key only. */
  static ByteString justAfter(ByteString key) {
    return key.concat(ByteString.copyFrom(new byte[] {0}));
  }

  /** What comes after all that starts so. */
  static ByteString following(ByteString start) {
    byte[] bytes = start.toByteArray(); // UTF-8 never holds 0xff, so the last byte can be raised
    bytes[bytes.length - 1]++;
    return ByteString.copyFrom(bytes);
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
