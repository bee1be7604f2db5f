package dev.holdfast.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharedThreadsTest {

  /** A client that opens in the moment in which the only other one closes has just got them. */
  @Test
  void threads_that_one_client_gives_back_stay_as_long_as_there_is_another() throws Exception {
    SharedThreads closing = SharedThreads.take();
    SharedThreads others = SharedThreads.take();
    SharedThreads opening = SharedThreads.take();
    EventLoopGroup threads = allocate(closing.resources());
    assertThat(others).isNotSameAs(closing);
    assertThat(opening).isSameAs(closing);

    closing.resources().eventLoopGroupProvider().release(threads, 0, 0, TimeUnit.SECONDS).sync();
    closing.release();
    assertThat(threads.isShuttingDown()).isFalse();
    assertThat(allocate(opening.resources())).isSameAs(threads);

    opening.resources().eventLoopGroupProvider().release(threads, 0, 0, TimeUnit.SECONDS).sync();
    opening.release();
    others.release();
    assertThat(threads.terminationFuture().await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void all_connections_of_a_client_have_one_thread() {
    SharedThreads threads = SharedThreads.take();
    EventLoopGroup loops = allocate(threads.resources());

    assertThat(loops.next()).isSameAs(loops.next());
    threads.release();
  }

  private static EventLoopGroup allocate(ClientResources resources) {
    return resources.eventLoopGroupProvider().allocate(MultiThreadIoEventLoopGroup.class);
  }
}
