package dev.holdfast.spi;

import dev.holdfast.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Someone else has the lock, and the claim did not enter the queue.
 *
 * @param holder who has it, where the store tells
 */
public record Busy(@Nullable Owner holder) implements JoinAnswer {}
