package dev.holdfast.http;

import dev.holdfast.RequestGuard;
import java.util.function.BinaryOperator;

class ServletHostileRequestTest extends HostileRequestContract {

  @Override
  HttpGuardContract.Server start(RequestGuard guard, int threads, BinaryOperator<String> handler)
      throws Exception {
    return ServletGuardTest.start(guard, threads, handler);
  }
}
