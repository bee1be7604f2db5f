package dev.holdfast.etcd;

import com.google.protobuf.ByteString;

/**
 * Where a claim sits, and since when.
 *
 * @param created the revision at which it sat down: before and after, others may sit there
 */
record Seat(ByteString key, long created) {}
