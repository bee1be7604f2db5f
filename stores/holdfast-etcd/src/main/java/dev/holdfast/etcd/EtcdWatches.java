package dev.holdfast.etcd;

import dev.holdfast.leased.watch.Change;
import dev.holdfast.leased.watch.StreamWatches;
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
import org.jspecify.annotations.Nullable;

/** The watches on claims and queues of etcd. Thread-safe. */
final class EtcdWatches extends StreamWatches {

  private static final long BETWEEN_LOGINS = Duration.ofSeconds(10).toNanos();

  private final Calls calls;
  private final Keys keys;

  // Mutable state, guarded by the base
  private long nextLogin;

  EtcdWatches(Calls calls, Keys keys) {
    super(calls.members, calls.ticker);
    this.calls = calls;
    this.nextLogin = calls.ticker.nanoTime();
    this.keys = keys;
  }

  @Override
  protected Requests open(int member, Answers answers) {
    return new Stream(member, answers);
  }

  private final class Stream implements Requests, StreamObserver<WatchResponse> {
    private final Answers answers;
    private final @Nullable Object ticket = calls.login.known();
    private volatile @Nullable StreamObserver<WatchRequest> requests;

    Stream(int member, Answers answers) {
      this.answers = answers;
      // Without this, a member that is cut off from the others stays silent.
      Metadata headers = new Metadata();
      headers.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
      Channel channel =
          ClientInterceptors.intercept(
              calls.members.channels.get(member),
              MetadataUtils.newAttachHeadersInterceptor(headers));
      try {
        requests =
            ClientCalls.asyncBidiStreamingCall(
                channel.newCall(WatchGrpc.getWatchMethod(), calls.login.options()), this);
      } catch (RuntimeException e) { // a channel of the caller's
        answers.broken(Calls.reason(e));
      }
    }

    @Override
    public void create(Target target, long revision) {
      WatchCreateRequest.Builder create =
          WatchCreateRequest.newBuilder()
              .setStartRevision(revision)
              .setProgressNotify(true); // so that the revision of a quiet watch advances
      String key = target.key();
      if (key == null) {
        Keys.Range queue = keys.queue(target.lock());
        create.setKey(queue.first()).setRangeEnd(queue.after());
      } else {
        create.setKey(Keys.bytes(key)).addFilters(WatchCreateRequest.FilterType.NOPUT);
      }
      send(WatchRequest.newBuilder().setCreateRequest(create));
    }

    @Override
    public void cancel(long number) {
      WatchCancelRequest cancel = WatchCancelRequest.newBuilder().setWatchId(number).build();
      send(WatchRequest.newBuilder().setCancelRequest(cancel));
    }

    private void send(WatchRequest.Builder request) {
      if (requests != null) {
        requests.onNext(request.build());
      }
    }

    @Override
    public void end() {
      if (requests != null) {
        requests.onError(Status.CANCELLED.asRuntimeException());
      }
    }

    /**
     * The token may have expired at the server: a stream keeps the one that it was opened with. Not
     * too often: if a new login does not help, the watch is not permitted.
     */
    @Override
    public boolean logInAgain() {
      long now = calls.ticker.nanoTime();
      if (!calls.login.isNeeded() || now - nextLogin < 0) {
        return false;
      }
      nextLogin = now + BETWEEN_LOGINS;
      calls.login.renew(ticket);
      return true;
    }

    @Override
    public void onNext(WatchResponse response) {
      long number = response.getWatchId();
      if (response.getCreated() && response.getCanceled()) {
        answers.refused();
      } else if (response.getCreated()) {
        answers.created(number);
      } else if (response.getCanceled()) { // the server has compacted the history since then
        answers.missed(number);
      } else if (response.getEventsCount() == 0) {
        answers.reached(number, response.getHeader().getRevision() + 1);
      } else {
        answers.changed(number, response.getEventsList().stream().map(Stream::change).toList());
      }
    }

    private static Change change(Event event) {
      return new Change(Keys.stored(event.getKv()), event.getType() == Event.EventType.DELETE);
    }

    @Override
    public void onError(Throwable failure) {
      answers.broken(Calls.reason(failure));
    }

    @Override
    public void onCompleted() {
      answers.broken("closed");
    }
  }
}
