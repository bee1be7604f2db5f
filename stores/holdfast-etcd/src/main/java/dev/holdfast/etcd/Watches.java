package dev.holdfast.etcd;

import dev.holdfast.etcd.Watch.Listener;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCancelRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * A watch on the deletion of one key stays at the server when nobody listens any more: whoever waits
 * for the same key next goes on with it, and so a hand-off costs neither a request to make a watch
 * nor one to take it back. What was heard last is kept, for a listener who comes after that although
 * it wanted to hear of it. A watch is taken back when something is heard that nobody listens to, or
 * with the stream, which is replaced when more of them than some, and than of listeners, are idle.
 *
 * A watch on more than that belongs to one listener, and goes with it.
 */

/**
 * All watches of a client, on one stream. If it breaks, everybody is told and it is opened anew,
 * from the revisions where it broke. Any threads.
 */
final class Watches {

  private static final Duration REST = Duration.ofMillis(100);

  /** An idle watch costs the server little, a new one on what has long happened costs it much. */
  static final int SOME = 1_000;

  private static final Duration BETWEEN_LOGINS = Duration.ofSeconds(10);

  private final Members members;
  private final Login login;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private final Map<Listener, Watch> watches = new HashMap<>();
  private final Map<Scope, Watch> shared = new HashMap<>();
  private @Nullable Stream stream;
  private boolean closed;
  private boolean loggedIn;
  private long lastLogin;

  Watches(Members members, Login login, Ticker ticker) {
    this.members = members;
    this.login = login;
    this.ticker = ticker;
  }

  /** Tells what happens from this revision on. */
  void add(Listener listener, Scope scope, long revision) {
    Event missed;
    mutex.lock();
    try {
      if (closed) {
        return;
      }
      Watch known = shared.get(scope);
      boolean goesOn = known != null && known.covers(revision);
      Watch watch = known != null && goesOn ? known : new Watch(scope, revision);
      watches.put(listener, watch);
      missed = watch.add(listener, revision);
      if (!goesOn) {
        begin(watch, known);
      }
    } finally {
      mutex.unlock();
    }
    if (missed != null) {
      listener.happened(missed);
    }
  }

  private void begin(Watch watch, @Nullable Watch instead) {
    if (instead != null && instead.isIdle()) {
      takeBack(instead);
    }
    if (watch.scope().deletionsOnly()) {
      shared.put(watch.scope(), watch);
    }
    if (stream == null) {
      open();
    } else {
      stream.create(watch);
    }
  }

  /** Nothing has happened before this revision: should the stream break, it goes on from there. */
  void reached(Listener listener, long revision) {
    mutex.lock();
    try {
      Watch watch = watches.get(listener);
      if (watch != null) {
        watch.reached(listener, revision);
      }
    } finally {
      mutex.unlock();
    }
  }

  void remove(Listener listener) {
    mutex.lock();
    try {
      Watch watch = watches.remove(listener);
      if (watch == null) {
        return;
      }
      watch.remove(listener);
      if (watch.isIdle() && shared.get(watch.scope()) != watch) {
        takeBack(watch);
      } else if (shared.size() > SOME + 2 * watches.size() && stream != null) {
        stream.end();
        open();
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Nobody will listen to this one any more. */
  private void takeBack(Watch watch) {
    shared.remove(watch.scope(), watch);
    if (stream != null) {
      stream.remove(watch);
    }
  }

  /** The member is not to be trusted any more: goes on with the next. */
  void reopen() {
    List<Listener> interrupted;
    mutex.lock();
    try {
      if (closed || stream == null) {
        return;
      }
      stream.end();
      interrupted = List.copyOf(watches.keySet());
      open();
    } finally {
      mutex.unlock();
    }
    interrupted.forEach(Listener::interrupted);
  }

  void close() {
    mutex.lock();
    try {
      closed = true;
      watches.clear();
      shared.clear();
      if (stream != null) {
        stream.end();
        stream = null;
      }
    } finally {
      mutex.unlock();
    }
  }

  private void open() {
    stream = null;
    shared.values().removeIf(Watch::isIdle);
    if (!closed && !watches.isEmpty()) {
      Stream opened = new Stream();
      stream = opened;
      opened.open();
      Set.copyOf(watches.values()).forEach(opened::create);
    }
  }

  private void broken(Stream which, String why) {
    if (replace(which)) {
      members.failed(which.member, why);
    }
  }

  private boolean replace(Stream which) {
    List<Listener> interrupted = new ArrayList<>();
    mutex.lock();
    try {
      if (stream != which) {
        return false;
      }
      stream = null;
      interrupted.addAll(watches.keySet());
    } finally {
      mutex.unlock();
    }
    var unused = ticker.schedule(REST, this::openAgain);
    interrupted.forEach(Listener::interrupted);
    return true;
  }

  /** Not too often: all others have to wait while the stream is opened anew. */
  private boolean mayLogInAgain() {
    mutex.lock();
    try {
      long now = ticker.nanoTime();
      if (!login.isNeeded() || (loggedIn && now - lastLogin < BETWEEN_LOGINS.toNanos())) {
        return false;
      }
      loggedIn = true;
      lastLogin = now;
      return true;
    } finally {
      mutex.unlock();
    }
  }

  private void openAgain() {
    mutex.lock();
    try {
      if (stream == null) {
        open();
      }
    } finally {
      mutex.unlock();
    }
  }

  private final class Stream implements StreamObserver<WatchResponse> {
    private final int member = members.current();
    private final @Nullable Object ticket = login.known();

    // Mutable state, guarded by mutex. The server numbers watches, in the order of the requests.
    private final Queue<Watch> creating = new ArrayDeque<>();
    private final Map<Long, Watch> created = new HashMap<>();
    private final Map<Watch, Long> numbers = new HashMap<>();
    private @Nullable StreamObserver<WatchRequest> requests;

    void open() {
      // Without this, a member that is cut off from the others keeps silent.
      Metadata headers = new Metadata();
      headers.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
      Channel channel =
          ClientInterceptors.intercept(
              members.channel(member), MetadataUtils.newAttachHeadersInterceptor(headers));
      try {
        requests =
            ClientCalls.asyncBidiStreamingCall(
                channel.newCall(WatchGrpc.getWatchMethod(), login.options()), this);
      } catch (RuntimeException e) { // a channel of the caller's
        broken(Failures.reason(e));
      }
    }

    void create(Watch watch) {
      creating.add(watch);
      send(watch.request());
    }

    void remove(Watch watch) {
      Long id = numbers.remove(watch);
      if (id != null) {
        created.remove(id);
        cancel(id);
      } // else it is taken back once the server has given it a number
    }

    private void cancel(long id) {
      WatchCancelRequest cancel = WatchCancelRequest.newBuilder().setWatchId(id).build();
      send(WatchRequest.newBuilder().setCancelRequest(cancel).build());
    }

    void end() {
      if (requests != null) {
        requests.onError(Status.CANCELLED.asRuntimeException());
      }
    }

    private void send(WatchRequest request) {
      if (requests != null) {
        requests.onNext(request);
      }
    }

    @Override
    public void onNext(WatchResponse response) {
      Watch watch = find(response);
      if (watch == null) {
        return;
      }
      if (response.getCanceled() && response.getCreated()) {
        refused(watch);
        return;
      }
      if (response.getCanceled()) { // the server has compacted what happened since then
        withdraw(watch).forEach(Listener::forgotten);
        return;
      }
      hear(watch, response).forEach((listener, events) -> events.forEach(listener::happened));
    }

    private Map<Listener, List<Event>> hear(Watch watch, WatchResponse response) {
      mutex.lock();
      try {
        if (response.getEventsCount() == 0 && !response.getCreated()) {
          watch.reached(response.getHeader().getRevision() + 1);
        } else if (response.getEventsCount() > 0 && watch.isIdle()) {
          takeBack(watch);
        }
        return watch.hear(response.getEventsList());
      } finally {
        mutex.unlock();
      }
    }

    /** The server will tell nothing more of this one. Those who listened to it do so no more. */
    private List<Listener> withdraw(Watch watch) {
      mutex.lock();
      try {
        List<Listener> listeners = watch.clear();
        listeners.forEach(watches::remove);
        shared.remove(watch.scope(), watch);
        Long id = numbers.remove(watch);
        if (id != null) {
          created.remove(id);
        }
        return listeners;
      } finally {
        mutex.unlock();
      }
    }

    /**
     * Perhaps the server has forgotten who we are: a stream keeps the name it was opened under. If
     * that was not it, which another login shows, the watch is not permitted.
     */
    private void refused(Watch watch) {
      if (!mayLogInAgain()) {
        withdraw(watch).forEach(Listener::refused);
        return;
      }
      login.renew(ticket);
      if (replace(this)) {
        end();
      }
    }

    private @Nullable Watch find(WatchResponse response) {
      mutex.lock();
      try {
        if (stream != this || !response.getCreated()) {
          return stream == this ? created.get(response.getWatchId()) : null;
        }
        Watch watch = creating.remove();
        if (!watch.isIdle() || shared.get(watch.scope()) == watch) {
          created.put(response.getWatchId(), watch);
          numbers.put(watch, response.getWatchId());
          return watch;
        }
        cancel(response.getWatchId()); // not wanted any more before the server knew it
        return null;
      } finally {
        mutex.unlock();
      }
    }

    @Override
    public void onError(Throwable failure) {
      broken(Failures.reason(failure));
    }

    @Override
    public void onCompleted() {
      broken("closed");
    }

    /** Told by another thread: gRPC may say so from within a request, under the mutex. */
    private void broken(String why) {
      var unused = ticker.schedule(Duration.ZERO, () -> Watches.this.broken(this, why));
    }
  }
}
