package dev.holdfast.spi;

/** What a store answers for one claim to {@link LockStore#refresh}. */
public sealed interface Standing permits Granted, Queued, Gone, Unknown {}
