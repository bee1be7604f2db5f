package dev.holdfast.foreign.curator;

import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.recipes.locks.Lease;

/** A permit of ours as Curator's lease. */
public record Permit(dev.holdfast.Lease lease) implements Lease {

  @Override
  public void close() {
    lease.close();
  }

  @Override
  public byte[] getData() {
    return lease.owner().toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String getNodeName() {
    return Long.toString(lease.token());
  }
}
