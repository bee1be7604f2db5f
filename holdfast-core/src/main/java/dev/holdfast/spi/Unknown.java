package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer for this claim.
 *
 * @param cause why, where known
 */
public record Unknown(@Nullable Throwable cause) implements Standing {}
