package dev.holdfast.servers;

@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class PostgresServerIT extends SqlServerSmoke {

  @Override
  SqlServer start() {
    return PostgresServer.start();
  }

  @Override
  SqlServer shared() {
    return PostgresServer.shared();
  }
}
