package dev.holdfast.servers;

@NeedsServer(value = Server.MYSQL, ofItsOwn = true)
class MySqlServerIT extends SqlServerSmoke {

  @Override
  SqlServer start() {
    return MySqlServer.start();
  }

  @Override
  SqlServer shared() {
    return MySqlServer.shared();
  }
}
