package dev.holdfast.engine.state;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Standing;
import org.jspecify.annotations.Nullable;

/** What feeds events of one lock into its transitions; a tenure knows it so that others find it. */
public interface Shell {

  /** Time has passed: a deadline of this tenure may have. */
  void ticked(Tenure tenure);

  /**
   * A refresh is about to be sent.
   *
   * @return the claim as it is to be refreshed, or null when there is nothing to refresh
   */
  @Nullable Claim refreshing(Tenure tenure);

  /** The store has answered the refresh of a claim, sent as it was then, or not. */
  void refreshAnswered(Tenure tenure, Claim asked, Standing standing, Moment sent);

  /** A hold that nobody can reach any more was found. */
  void abandoned(Hold hold);
}
