package dev.holdfast.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file fence between processes, and between class loaders of one. */
class FileFenceSharingTest {

  private static final Owner OWNER = new Owner("web-3", 4121, "main", "client", "");
  private static final Proof PROOF = new Proof("prices", 7, Mode.EXCLUSIVE, OWNER);

  @TempDir Path folder;
  private Path data;
  private Path lock;

  @BeforeEach
  void name() {
    data = folder.resolve("prices.csv");
    lock = folder.resolve("prices.csv.fence.lock");
  }

  /** Such as two web applications that each bring a copy of Holdfast. */
  @Test
  void class_loaders_of_one_process_write_one_after_the_other() throws Exception {
    try (OtherCopy one = new OtherCopy();
        OtherCopy other = new OtherCopy()) {
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (OtherCopy copy : List.of(one, other)) {
        writers.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    copy.write(data, PROOF, "written");
                  }
                }));
      }

      CompletableFuture.allOf(writers.toArray(CompletableFuture<?>[]::new)).join();
      assertThat(data).hasContent("written");
    }
  }

  /** To close any channel of a file ends all locks that the process has on it. */
  @Test
  void a_lock_that_other_code_of_the_process_has_on_the_file_stays() throws Exception {
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      FutureTask<Void> write = writing();
      Thread writer = start(write);
      awaitWaiting(writer);
      writer.interrupt();
      assertThatThrownBy(() -> write.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(StoreException.class);

      assertThat(held.isValid()).isTrue();
      assertThat(lockedElsewhere()).isFalse();
    }
    FileFence.beside(data).write(PROOF, bytes("after"));
    assertThat(data).hasContent("after");
    assertThat(lockedElsewhere()).as("nothing is left locked").isTrue();
  }

  @Test
  void a_write_waits_for_another_process() throws Exception {
    Process holder = FileLockHolder.start(lock);
    assertThat(firstLine(holder)).isEqualTo("LOCKED");
    FutureTask<Void> write = writing();
    Thread writer = start(write);
    awaitWaiting(writer);
    assertThat(data).doesNotExist();

    holder.getOutputStream().close();
    write.get(60, TimeUnit.SECONDS);
    assertThat(data).hasContent("new");
  }

  @Test
  void an_interrupt_ends_the_wait_for_another_process() throws Exception {
    Process holder = FileLockHolder.start(lock);
    assertThat(firstLine(holder)).isEqualTo("LOCKED");
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    FutureTask<Void> write =
        new FutureTask<>(
            () -> {
              try {
                FileFence.beside(data).write(PROOF, bytes("new"));
              } finally {
                flag.complete(Thread.currentThread().isInterrupted());
              }
              return null;
            });
    Thread writer = start(write);
    awaitWaiting(writer);

    writer.interrupt();

    assertThatThrownBy(() -> write.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "Interrupted while waiting for the fence of 'prices' beside "
                + folder.toRealPath().resolve("prices.csv")
                + ": nothing was changed.");
    assertThat(flag.join()).as("interrupt status").isTrue();
    assertThat(data).doesNotExist();
    holder.getOutputStream().close();
    assertThat(holder.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /**
   * A file that was renamed may have its old name after a power cut, if its folder was not synced.
   */
  @Test
  void the_folder_is_synced_after_each_file_that_was_put_into_it() throws Exception {
    Path events = folder.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold();
      recording.start();
      FileFence.beside(data).write(PROOF, bytes("new"));
      recording.stop();
      recording.dump(events);
    }

    String real = folder.toRealPath().toString();
    assertThat(RecordingFile.readAllEvents(events))
        .extracting((RecordedEvent event) -> event.getString("path"))
        .filteredOn(path -> path.startsWith(real))
        .containsExactly(real + "/prices.csv.fence.new", real, real + "/prices.csv.new", real);
  }

  private FutureTask<Void> writing() {
    return new FutureTask<>(
        () -> {
          FileFence.beside(data).write(PROOF, bytes("new"));
          return null;
        });
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "writer");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void awaitWaiting(Thread thread) {
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
  }

  /** {@return whether another process gets the lock now} */
  private boolean lockedElsewhere() throws Exception {
    Process process = FileLockHolder.start(lock);
    String line = firstLine(process);
    process.getOutputStream().close();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return line.equals("LOCKED");
  }

  private static String firstLine(Process process) throws Exception {
    return process.inputReader().readLine();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A copy of Holdfast with its own class loader. */
  private static final class OtherCopy implements AutoCloseable {
    private final URLClassLoader loader;

    OtherCopy() {
      URL classes = Holdfast.class.getProtectionDomain().getCodeSource().getLocation();
      loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader());
    }

    void write(Path data, Proof proof, String content) {
      try {
        Class<?> fences = loader.loadClass(FileFence.class.getName());
        Class<?> proofs = loader.loadClass(Proof.class.getName());
        Object fence = fences.getMethod("beside", Path.class).invoke(null, data);
        Object copied = proofs.getMethod("parse", String.class).invoke(null, proof.toString());
        fences.getMethod("write", proofs, byte[].class).invoke(fence, copied, bytes(content));
      } catch (InvocationTargetException e) {
        throw new IllegalStateException(e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws Exception {
      loader.close();
    }
  }
}
