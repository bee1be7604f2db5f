package dev.holdfast.servers;

@NeedsServer(value = Server.MARIADB, ofItsOwn = true)
class MariaDbServerIT extends SqlServerSmoke {

  @Override
  SqlServer start() {
    return MariaDbServer.start();
  }

  @Override
  SqlServer shared() {
    return MariaDbServer.shared();
  }
}
