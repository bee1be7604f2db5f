package dev.holdfast;

/**
 * What travels with a request to the worker that acts on it: enough to check the sender, never
 * enough to release the lock.
 *
 * @param lock the lock's name
 * @param token the fencing token of the lease
 * @param mode how the holder excludes others
 * @param owner who held the lease
 */
public record Proof(String lock, long token, Mode mode, Owner owner) {}
