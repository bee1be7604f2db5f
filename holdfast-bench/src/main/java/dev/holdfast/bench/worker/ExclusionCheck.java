package dev.holdfast.bench.worker;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.LongAdder;

/**
 * Detects two holders at once, in any processes, and tokens that do not rise: holders write their
 * names into a file that all of them have mapped. Costs no system call.
 */
public final class ExclusionCheck {

  private static final int SIZE = 16;
  private static final int HOLDER = 0;
  private static final int TOKEN = 8;
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final MappedByteBuffer file;
  private final LongAdder violations = new LongAdder();

  public ExclusionCheck(Path path) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
    }
  }

  /** Called right after an acquisition; the name is not 0, and the token is 0 if there is none. */
  void enter(long name, long token) {
    if (!LONGS.compareAndSet(file, HOLDER, 0L, name)) {
      violations.increment();
    }
    if (token != 0) {
      if (token <= (long) LONGS.getVolatile(file, TOKEN)) {
        violations.increment();
      }
      LONGS.setVolatile(file, TOKEN, token);
    }
  }

  /** Called right before the release. */
  void exit(long name) {
    if (!LONGS.compareAndSet(file, HOLDER, name, 0L)) {
      violations.increment();
    }
  }

  /** What this process has seen. */
  public long violations() {
    return violations.sum();
  }
}
