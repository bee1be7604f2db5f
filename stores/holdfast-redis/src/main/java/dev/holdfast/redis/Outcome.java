package dev.holdfast.redis;

import dev.holdfast.StoreException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What became of one claim in a call for many: an answer, or none.
 *
 * @param reply the answer
 * @param failure why there is none
 */
record Outcome(@Nullable Reply reply, @Nullable StoreException failure) {

  <A> A map(Function<Reply, A> answer, Function<StoreException, A> unknown) {
    if (reply != null) {
      return answer.apply(reply);
    }
    return unknown.apply(Objects.requireNonNull(failure));
  }
}
