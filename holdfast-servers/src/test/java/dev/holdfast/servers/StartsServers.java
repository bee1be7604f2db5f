package dev.holdfast.servers;

/** A program that starts servers and leaves them alone. */
final class StartsServers {

  private StartsServers() {}

  public static void main(String[] args) throws Exception {
    Thread starter = new Thread(StartsServers::start, "starter");
    starter.start();
    starter.join(); // a server must not end with the thread that asked for it
    System.out.println("started");
    System.in.read();
  }

  private static void start() {
    PostgresServer.start(); // runs as another user if we are root
    RedisServer redis = RedisServer.start();
    System.out.println(redis.data());
    System.out.println(redis.port());
  }
}
