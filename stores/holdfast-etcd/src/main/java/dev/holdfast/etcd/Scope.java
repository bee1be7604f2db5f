package dev.holdfast.etcd;

import com.google.protobuf.ByteString;

/**
 * What a watch is about.
 *
 * @param first where it begins
 * @param after where it ends; empty for the one key at its beginning
 * @param deletionsOnly whether changes do not matter
 */
record Scope(ByteString first, ByteString after, boolean deletionsOnly) {

  static Scope deletionOf(ByteString key) {
    return new Scope(key, ByteString.EMPTY, true);
  }
}
