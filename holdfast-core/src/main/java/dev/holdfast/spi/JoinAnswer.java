package dev.holdfast.spi;

/** What a store answers to {@link LockStore#join}. */
public sealed interface JoinAnswer permits Granted, Queued, Busy, Mismatch {}
