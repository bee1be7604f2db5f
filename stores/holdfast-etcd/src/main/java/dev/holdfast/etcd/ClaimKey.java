package dev.holdfast.etcd;

import dev.holdfast.spi.Claim;

/** What makes a claim this one: with the same id on another lock, it is another. */
record ClaimKey(String lock, String id) {

  static ClaimKey of(Claim claim) {
    return new ClaimKey(claim.lock(), claim.id());
  }
}
