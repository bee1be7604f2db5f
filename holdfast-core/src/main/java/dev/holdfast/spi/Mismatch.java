package dev.holdfast.spi;

import dev.holdfast.Kind;

/**
 * The lock is in use as something else; only an empty lock can be redefined.
 *
 * @param kind what it is used as
 * @param capacity with which capacity
 */
public record Mismatch(Kind kind, int capacity) implements JoinAnswer {}
