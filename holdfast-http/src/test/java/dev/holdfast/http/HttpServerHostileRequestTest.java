package dev.holdfast.http;

import dev.holdfast.RequestGuard;
import java.util.function.BinaryOperator;

class HttpServerHostileRequestTest extends HostileRequestContract {

  @Override
  HttpGuardContract.Server start(RequestGuard guard, int threads, BinaryOperator<String> handler)
      throws Exception {
    return HttpServerGuardTest.start(guard, threads, handler);
  }
}
