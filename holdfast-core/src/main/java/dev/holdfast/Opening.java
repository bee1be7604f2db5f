package dev.holdfast;

import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineSettings;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;

/**
 * Opens the client that a {@link Holdfast.Builder} describes; leaves nothing behind if it fails.
 */
final class Opening {

  private Opening() {}

  static Holdfast of(Holdfast.Builder settings) {
    LockOptions chosen = settings.options;
    if (chosen != null) {
      chosen.check();
    }
    String url = settings.url;
    LockStore instance = settings.store;
    if (url == null && instance == null) {
      throw new IllegalArgumentException(
          "no store given; call store(\"memory:\") or another URL first");
    }
    Ticker given = settings.ticker;
    Ticker time = given != null ? given : Ticker.system("holdfast-timer");
    LockStore opened = instance;
    boolean built = false;
    try {
      if (opened == null) {
        opened =
            Stores.open(
                url, new StoreSettings(time, settings.operationTimeout, settings.credentials));
      }
      if (chosen != null) {
        opened.traits().check(opened.toString(), chosen);
      }
      Engine engine =
          new Engine(
              new EngineSettings(
                  opened,
                  time,
                  given == null,
                  settings.executor,
                  settings.listeners,
                  settings.clientName,
                  settings.operationTimeout,
                  settings.leakReports));
      built = true;
      return new Holdfast(engine, chosen != null ? chosen : LockOptions.defaults());
    } finally {
      if (!built) { // what was made here; the caller's own stays the caller's
        if (instance == null && opened != null) {
          opened.close();
        }
        if (given == null) {
          time.close();
        }
      }
    }
  }
}
