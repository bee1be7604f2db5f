package dev.holdfast.examples.stories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.jdbc.FenceColumn;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StockTest {

  private static final int CUSTOMERS = 8;
  private static final int PIECES = 30;

  private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  private final ExecutorService threads = Executors.newFixedThreadPool(CUSTOMERS);
  private Connection database;
  private Holdfast locks;

  @BeforeEach
  void open() throws SQLException {
    database = DriverManager.getConnection(url);
    try (Statement statement = database.createStatement()) {
      statement.execute(
          "CREATE TABLE product (id INT PRIMARY KEY, stock INT, fence BIGINT DEFAULT 0 NOT NULL)");
      statement.execute("INSERT INTO product VALUES (1, " + PIECES + ", 0)");
    }
    locks = Holdfast.connect("memory:" + url.hashCode());
  }

  @AfterEach
  void close() throws SQLException {
    threads.shutdownNow();
    locks.close();
    database.close();
  }

  @Test
  void comparing_and_swapping_sells_each_piece_once() throws Exception {
    assertThat(sold(stock -> stock.sellOptimistically(1, 1))).isEqualTo(PIECES);
    assertThat(new Stock(database).left(1)).isZero();
  }

  @Test
  void selling_under_the_lock_sells_each_piece_once() throws Exception {
    assertThat(sold(stock -> stock.sellUnderLock(locks, 1, 1))).isEqualTo(PIECES);
    assertThat(new Stock(database).left(1)).isZero();
  }

  @Test
  void a_seller_that_was_paused_sells_nothing_any_more() throws Exception {
    Proof old;
    try (Lease lease = locks.lock("product/1").acquire()) {
      old = lease.proof();
    }
    assertThat(new Stock(database).sellUnderLock(locks, 1, 1)).isTrue();
    FenceColumn products = FenceColumn.of("product", "id", "fence");
    assertThatThrownBy(() -> products.update(database, 1, old, "stock = ?", PIECES - 1))
        .isInstanceOf(StaleTokenException.class);
    assertThat(new Stock(database).left(1)).isEqualTo(PIECES - 1);
  }

  private interface Sale {
    boolean isMade(Stock stock) throws Exception;
  }

  /** Lets customers buy until there is nothing left, and counts the pieces that they got. */
  private int sold(Sale sale) throws Exception {
    List<Callable<Integer>> customers = new ArrayList<>();
    for (int i = 0; i < CUSTOMERS; i++) {
      customers.add(
          () -> {
            try (Connection own = DriverManager.getConnection(url)) {
              int bought = 0;
              while (sale.isMade(new Stock(own))) {
                bought++;
              }
              return bought;
            }
          });
    }
    int sold = 0;
    for (Future<Integer> customer : threads.invokeAll(customers)) {
      sold += customer.get();
    }
    return sold;
  }
}
