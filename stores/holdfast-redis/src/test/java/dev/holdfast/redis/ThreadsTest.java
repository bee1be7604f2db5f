package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadsTest {

  /** A client that opens in the moment in which the only other one closes has just got them. */
  @Test
  void threads_that_one_client_gives_back_stay_as_long_as_there_is_another() throws Exception {
    ClientResources closing = Threads.take();
    ClientResources opening = Threads.take();
    EventLoopGroup threads = allocate(closing);

    closing.eventLoopGroupProvider().release(threads, 0, 0, TimeUnit.SECONDS).sync();
    Threads.giveBack();
    assertThat(threads.isShuttingDown()).isFalse();
    assertThat(allocate(opening)).isSameAs(threads);

    opening.eventLoopGroupProvider().release(threads, 0, 0, TimeUnit.SECONDS).sync();
    Threads.giveBack();
    assertThat(threads.terminationFuture().await(10, TimeUnit.SECONDS)).isTrue();
  }

  private static EventLoopGroup allocate(ClientResources resources) {
    return resources.eventLoopGroupProvider().allocate(MultiThreadIoEventLoopGroup.class);
  }
}
