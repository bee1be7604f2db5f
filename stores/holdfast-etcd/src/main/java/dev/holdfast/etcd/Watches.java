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
import java.util.Collections;
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
      Watch watch = shared.get(scope);
      boolean known = watch != null && watch.start <= revision;
      if (watch == null || !known) {
        if (watch != null && watch.isIdle()) {
          takeBack(watch);
        }
        watch = new Watch(scope, revision);
      }
      watches.put(listener, watch);
      watch.listeners.put(listener, revision);
      if (known) {
        missed = watch.last;
      } else {
        missed = null;
        if (scope.deletionsOnly()) {
          shared.put(scope, watch);
        }
        if (stream == null) {
          open();
        } else {
          stream.create(watch);
        }
      }
    } finally {
      mutex.unlock();
    }
    if (missed != null && missed.getKv().getModRevision() >= revision) {
      listener.happened(missed);
    }
  }

  /** Nothing has happened before this revision: should the stream break, it goes on from there. */
  void reached(Listener listener, long revision) {
    mutex.lock();
    try {
      Watch watch = watches.get(listener);
      if (watch != null) {
        watch.listeners.merge(listener, revision, Math::max);
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
      watch.listeners.remove(listener);
      if (watch.isIdle() && shared.get(watch.scope) != watch) {
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
    shared.remove(watch.scope, watch);
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

  /** Something that is watched, and who listens to it, from which revision on. */
  private static final class Watch {
    private final Scope scope;

    // Mutable state, guarded by mutex
    private long start;
    private final Map<Listener, Long> listeners = new HashMap<>();
    private @Nullable Event last;

    Watch(Scope scope, long start) {
      this.scope = scope;
      this.start = start;
    }

    boolean isIdle() {
      return listeners.isEmpty();
    }

    /** Goes on from where nobody misses anything. */
    long restart() {
      start = Collections.min(listeners.values());
      return start;
    }

    /** All that was before this revision has been heard. */
    void reached(long revision) {
      listeners.replaceAll((listener, before) -> Math.max(before, revision));
    }

    /** What each listener wants to hear of this, and has not heard. */
    Map<Listener, List<Event>> hear(List<Event> events) {
      Map<Listener, List<Event>> heard = new HashMap<>();
      listeners.forEach(
          (listener, from) ->
              heard.put(
                  listener,
                  events.stream()
                      .filter(event -> event.getKv().getModRevision() >= from)
                      .toList()));
      if (!events.isEmpty()) {
        last = events.get(events.size() - 1);
        reached(last.getKv().getModRevision() + 1);
      }
      return heard;
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
      WatchCreateRequest.Builder create =
          WatchCreateRequest.newBuilder()
              .setKey(watch.scope.first())
              .setRangeEnd(watch.scope.after())
              .setStartRevision(watch.restart());
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
      if (response.getEventsCount() == 0 && !response.getCreated()) {
        quiet(watch, response.getHeader().getRevision() + 1);
      }
      // Several may be of one revision.
      hear(watch, response.getEventsList())
          .forEach((listener, events) -> events.forEach(listener::happened));
    }

    private void quiet(Watch watch, long revision) {
      mutex.lock();
      try {
        watch.reached(revision);
      } finally {
        mutex.unlock();
      }
    }

    private Map<Listener, List<Event>> hear(Watch watch, List<Event> events) {
      mutex.lock();
      try {
        if (watch.isIdle() && !events.isEmpty()) {
          takeBack(watch);
        }
        return watch.hear(events);
      } finally {
        mutex.unlock();
      }
    }

    /** The server will tell nothing more of this one. Those who listened to it do so no more. */
    private List<Listener> withdraw(Watch watch) {
      mutex.lock();
      try {
        List<Listener> listeners = List.copyOf(watch.listeners.keySet());
        listeners.forEach(watches::remove);
        watch.listeners.clear();
        shared.remove(watch.scope, watch);
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
        if (!watch.isIdle() || shared.get(watch.scope) == watch) {
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
