package dev.holdfast;

/**
 * Who leads, as the store sees it at one moment.
 *
 * @param token the fencing token of its leadership
 * @param value what it has published; empty if nothing
 * @param owner who it is
 */
public record Leader(long token, String value, Owner owner) {}
