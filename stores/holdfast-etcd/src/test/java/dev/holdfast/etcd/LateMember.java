package dev.holdfast.etcd;

import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a real member that stalls over one request: either its client gives up on it and
 * the member carries it out much later, or the client waits.
 */
final class LateMember implements ClientInterceptor {

  private enum Fate {
    /** The client gives up on it, and the member carries it out when told to. */
    ABANDONED,
    /** The client waits until the test lets the member continue. */
    STALLED,
    /** The member carries it out, and its answer is lost. */
    UNANSWERED,
    /** It is not even sent: the channel throws. */
    UNSENT
  }

  private record Plan(Predicate<Object> which, Fate fate) {}

  private final AtomicReference<@Nullable Plan> plan = new AtomicReference<>();

  // Mutable state
  private final ConcurrentLinkedQueue<Runnable> rest = new ConcurrentLinkedQueue<>();
  private volatile boolean stalled;
  private final AtomicInteger oldAnswers = new AtomicInteger();
  private volatile Predicate<Object> refused = request -> false;
  private final AtomicInteger refusals = new AtomicInteger();

  /** The client gives up on the next request of this kind. */
  void abandonNext(Predicate<Object> which) {
    plan.set(new Plan(which, Fate.ABANDONED));
  }

  /** The client waits for the answer to the next request of this kind. */
  void stallNext(Predicate<Object> which) {
    stalled = false;
    plan.set(new Plan(which, Fate.STALLED));
  }

  /** The client never hears the answer to the next request of this kind. */
  void loseNextAnswer(Predicate<Object> which) {
    plan.set(new Plan(which, Fate.UNANSWERED));
  }

  /** The channel throws at the next request of this kind. */
  void throwNext(Predicate<Object> which) {
    plan.set(new Plan(which, Fate.UNSENT));
  }

  /** No request of this kind reaches the member. */
  void refuse(Predicate<Object> which) {
    refusals.set(0);
    refused = which;
  }

  int refusals() {
    return refusals.get();
  }

  /** Returns whether that request has come. */
  boolean isStalled() {
    return stalled;
  }

  /** Answers this many renewals as a leader would that was replaced and does not know it. */
  void leadInThePast(int renewals) {
    oldAnswers.set(renewals);
  }

  boolean leadsInThePast() {
    return oldAnswers.get() > 0;
  }

  /** The member carries out what it was asked for, the oldest first, and has answered then. */
  void goOn() {
    rest.remove().run();
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      private final CompletableFuture<Void> answered = new CompletableFuture<>();
      private boolean kept;
      private volatile boolean unanswered;

      @Override
      public void start(Listener<A> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onMessage(A message) {
                if (unanswered) {
                  cancel("the answer is lost", null);
                  return;
                }
                super.onMessage(aged(method, message));
                answered.complete(null);
              }

              @Override
              public void onClose(Status status, Metadata trailers) {
                super.onClose(status, trailers);
                answered.complete(null);
              }
            },
            headers);
      }

      @Override
      public void sendMessage(Q message) {
        if (refused.test(message)) {
          refusals.incrementAndGet();
          cancel("refused", null);
          return;
        }
        Plan planned = plan.get();
        if (planned == null || !planned.which.test(message) || !plan.compareAndSet(planned, null)) {
          super.sendMessage(message);
          return;
        }
        if (planned.fate == Fate.UNSENT) {
          throw new IllegalStateException("a channel that throws");
        }
        if (planned.fate == Fate.UNANSWERED) {
          unanswered = true;
          super.sendMessage(message);
          return;
        }
        kept = true;
        if (planned.fate == Fate.ABANDONED) {
          rest.add(() -> ClientCalls.blockingUnaryCall(next, method, CallOptions.DEFAULT, message));
          cancel("the client gave up", null);
        } else {
          ClientCall<Q, A> call = delegate();
          boolean unary = method.getType() == MethodDescriptor.MethodType.UNARY;
          rest.add(
              () -> {
                call.sendMessage(message);
                if (unary) {
                  call.halfClose();
                }
                answered.join();
              });
        }
        stalled = true;
      }

      @Override
      public void halfClose() {
        if (!kept || method.getType() != MethodDescriptor.MethodType.UNARY) {
          super.halfClose();
        }
      }
    };
  }

  private <Q, A> A aged(MethodDescriptor<Q, A> method, A message) {
    if (!(message instanceof LeaseKeepAliveResponse renewed)
        || oldAnswers.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
      return message;
    }
    LeaseKeepAliveResponse.Builder answer = renewed.toBuilder();
    answer.getHeaderBuilder().setRaftTerm(renewed.getHeader().getRaftTerm() - 1);
    return method.parseResponse(answer.build().toByteString().newInput());
  }
}
