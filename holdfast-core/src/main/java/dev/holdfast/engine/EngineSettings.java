package dev.holdfast.engine;

import dev.holdfast.HoldfastListener;
import dev.holdfast.LeakReports;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How a client is made; see {@link dev.holdfast.Holdfast.Builder}.
 *
 * @param ownsTicker whether the client closes the ticker; otherwise a test drives it
 */
public record EngineSettings(
    LockStore store,
    Ticker ticker,
    boolean ownsTicker,
    @Nullable Executor executor,
    List<HoldfastListener> listeners,
    String clientName,
    Duration operationTimeout,
    LeakReports leakReports) {}
