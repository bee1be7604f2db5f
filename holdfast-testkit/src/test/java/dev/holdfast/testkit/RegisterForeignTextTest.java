package dev.holdfast.testkit;

import dev.holdfast.memory.MemoryRegister;
import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Register;
import dev.holdfast.spi.Ticker;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;

class RegisterForeignTextTest extends ForeignTextContract {

  private static final int OWNER = 4;
  private static final int VALUE = 10;

  private final Ticker ticker = Ticker.system("register");
  private final MemoryRegister register = new MemoryRegister(ticker);

  @AfterEach
  void close() {
    ticker.close();
  }

  @Override
  protected LockStore open() {
    return new RegisterLockStore(register, RegisterLockStore.baseTraits().build(), ticker);
  }

  @Override
  protected void overwrite(String lock, String owner, String value) throws Exception {
    Register.Entry entry = register.read(lock).toCompletableFuture().get().orElseThrow();
    String[] fields = entry.value().split(" ", -1);
    fields[OWNER] = URLEncoder.encode(owner, StandardCharsets.UTF_8);
    fields[VALUE] = "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    register
        .compareAndSet(lock, entry.version(), String.join(" ", fields), entry.remaining())
        .toCompletableFuture()
        .get();
  }
}
