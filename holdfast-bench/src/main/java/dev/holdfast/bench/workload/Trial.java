package dev.holdfast.bench.workload;

import java.util.Map;

/** A contender that is ready to be measured. */
public interface Trial extends AutoCloseable {

  /** One short slice. */
  Map<Metric, Double> measure() throws Exception;

  @Override
  void close() throws Exception;
}
