package dev.holdfast.spi;

/**
 * The claim waits.
 *
 * @param position how many claims are ahead of it
 */
public record Queued(int position) implements JoinAnswer, Standing {}
