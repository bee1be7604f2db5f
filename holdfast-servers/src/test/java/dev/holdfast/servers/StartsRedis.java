package dev.holdfast.servers;

/** A program that starts a server and leaves it alone. */
final class StartsRedis {

  private StartsRedis() {}

  public static void main(String[] args) throws Exception {
    Thread starter = new Thread(() -> RedisServer.start().command("PING"), "starter");
    starter.start();
    starter.join(); // a server must not end with the thread that asked for it
    System.out.println("started");
    System.in.read();
  }
}
