package dev.holdfast.etcd;

import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCancelRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
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
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * A watch on the deletion of one key is heard of once at most, so nobody takes it back when it is
 * not wanted any more: that would be a request for each hand-off. It stays at the server until the
 * stream is replaced, which happens when more of them than some, and than of those in use, have
 * been left there. A watch that is heard of often is taken back at once.
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

  /** Hears what happened to what it watches. Any threads. */
  interface Listener {

    /** A key was put or deleted. */
    void happened(Event event);

    /** What happens now will be heard late: the stream is opened anew. */
    void interrupted();

    /** Something may have happened unseen, and nothing more will be heard. */
    void forgotten();

    /** It may not watch that, and nothing more will be heard. */
    void refused();
  }

  private final Members members;
  private final Login login;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private final Map<Listener, Watch> watches = new HashMap<>();
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
    mutex.lock();
    try {
      if (closed) {
        return;
      }
      Watch watch = new Watch(scope, listener, revision);
      watches.put(listener, watch);
      if (stream == null) {
        open();
      } else {
        stream.create(watch);
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Nothing has happened before this revision: should the stream break, it goes on from there. */
  void reached(Listener listener, long revision) {
    mutex.lock();
    try {
      Watch watch = watches.get(listener);
      if (watch != null) {
        watch.revision = Math.max(watch.revision, revision);
      }
    } finally {
      mutex.unlock();
    }
  }

  void remove(Listener listener) {
    mutex.lock();
    try {
      Watch watch = watches.remove(listener);
      if (watch != null && stream != null) {
        stream.remove(watch);
        if (stream.abandoned > SOME + watches.size()) {
          stream.end();
          open();
        }
      }
    } finally {
      mutex.unlock();
    }
  }

  /** The member is not to be trusted any more: goes on with the next. */
  void reopen() {
    List<Watch> interrupted;
    mutex.lock();
    try {
      if (closed || stream == null) {
        return;
      }
      stream.end();
      interrupted = List.copyOf(watches.values());
      open();
    } finally {
      mutex.unlock();
    }
    interrupted.forEach(watch -> watch.listener.interrupted());
  }

  void close() {
    mutex.lock();
    try {
      closed = true;
      watches.clear();
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
    if (!closed && !watches.isEmpty()) {
      Stream opened = new Stream();
      stream = opened;
      opened.open();
      watches.values().forEach(opened::create);
    }
  }

  private void broken(Stream which, String why) {
    if (replace(which)) {
      members.failed(which.member, why);
    }
  }

  private boolean replace(Stream which) {
    List<Watch> interrupted = new ArrayList<>();
    mutex.lock();
    try {
      if (stream != which) {
        return false;
      }
      stream = null;
      interrupted.addAll(watches.values());
    } finally {
      mutex.unlock();
    }
    var unused = ticker.schedule(REST, this::openAgain);
    interrupted.forEach(watch -> watch.listener.interrupted());
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

  private static final class Watch {
    private final Scope scope;
    private final Listener listener;

    // Mutable state
    private volatile long revision;

    Watch(Scope scope, Listener listener, long revision) {
      this.scope = scope;
      this.listener = listener;
      this.revision = revision;
    }
  }

  private final class Stream implements StreamObserver<WatchResponse> {
    private final int member = members.current();
    private final @Nullable Object ticket = login.known();

    // Mutable state, guarded by mutex. The server numbers watches, in the order of the requests.
    private final Queue<Watch> creating = new ArrayDeque<>();
    private final Map<Long, Watch> created = new HashMap<>();
    private final Map<Watch, Long> numbers = new HashMap<>();
    private int abandoned;
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
      WatchCreateRequest.Builder create =
          WatchCreateRequest.newBuilder()
              .setKey(watch.scope.first())
              .setRangeEnd(watch.scope.after())
              .setStartRevision(watch.revision);
      create.setProgressNotify(true); // so that one on which nothing happens does not grow old
      if (watch.scope.deletionsOnly()) {
        create.addFilters(WatchCreateRequest.FilterType.NOPUT);
      }
      creating.add(watch);
      send(WatchRequest.newBuilder().setCreateRequest(create).build());
    }

    void remove(Watch watch) {
      Long id = numbers.remove(watch);
      if (id != null) {
        created.remove(id);
        abandon(watch, id);
      } // else it is abandoned once the server has given it a number
    }

    private void abandon(Watch watch, long id) {
      if (watch.scope.deletionsOnly()) {
        abandoned++;
        return;
      }
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
        Watches.this.remove(watch.listener);
        watch.listener.forgotten();
        return;
      }
      if (response.getEventsCount() == 0 && !response.getCreated()) {
        reached(watch.listener, response.getHeader().getRevision() + 1);
      }
      for (Event event : response.getEventsList()) {
        reached(watch.listener, event.getKv().getModRevision() + 1);
        watch.listener.happened(event);
      }
    }

    /**
     * Perhaps the server has forgotten who we are: a stream keeps the name it was opened under. If
     * that was not it, which another login shows, the watch is not permitted.
     */
    private void refused(Watch watch) {
      if (!mayLogInAgain()) {
        Watches.this.remove(watch.listener);
        watch.listener.refused();
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
        if (watches.get(watch.listener) == watch) {
          created.put(response.getWatchId(), watch);
          numbers.put(watch, response.getWatchId());
          return watch;
        }
        abandon(watch, response.getWatchId()); // removed before the server knew it
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
