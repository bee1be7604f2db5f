/**
 * The groups of tests that the contracts are made of; not exported.
 *
 * <p>Each of these pitfalls was fallen into by a library that people use. The number is the one
 * that the tests refer to; the missing ones concern particular stores and constructs.
 *
 * <pre>
 *  1  one failed renewal and the lock vanished     LossRules.failed_renewals_are_repeated_until_one_succeeds
 *  2  cut off, and still working                   LossRules.a_holder_that_is_cut_off_knows_its_loss_before_the_next_one_is_granted,
 *                                                  LossRules.a_waiter_that_times_out_does_not_hold_up_the_news_of_a_loss
 *  3  renewal outlives release                     LossRules.closing_a_lease_ends_its_renewal
 *  4  extension re-acquires                        RefreshRules.an_expired_holder_is_gone_and_stays_gone (and waiter)
 *  5  re-entry after a loss                        ReentryRules.re_entry_after_a_loss_throws_until_the_lost_lease_is_closed
 *  6  a waiter that gave up stays in the queue     QueueRules.a_waiter_that_gives_up…, a_big_waiter_that_gives_up…,
 *                                                  WaitingRules.a_waiter_that_times_out…, …is_interrupted…, …is_cancelled…,
 *                                                  LoadRules.cancellations_race_with_grants_and_nothing_is_left_behind
 *  7  release frees the next holder's lock         LeaveRules.a_late_leave_leaves_the_next_holder_alone
 *  8  two clients share an owner id                SecretRules, all
 *  9  false for "the store is down"                WaitingRules.a_store_that_fails_is_not_busy
 * 10  ambiguous create                             JoinRules, all; WaitingRules.a_join_whose_answer_is_lost…, …that_arrives_after…
 * 11  the herd                                     WakeRules.a_leave_does_not_wake_the_herd
 * 12  a dead waiter blocks the queue               QueueRules.a_dead_waiter…, ProcessRules.a_killed_waiter…
 * 13  the token is read from a shared counter      LeaseRules.a_held_lease_is_renewed_for_as_long_as_it_is_held
 * 14  the token rises on re-entry                  ReentryRules.re_entry_has_the_same_token_and_the_last_close_releases
 * 15  the token restarts                           TokenRules.tokens_rise_over_release, …expiry, …eviction, …a_purge
 * 16  the application's clock                      WaitingRules.a_client_whose_wall_clock_is_wrong_is_a_client_like_any_other
 * 17  a ttl rounded to never                       ExpiryRules.the_shortest_ttl_ends, the_longest_ttl_is_taken_as_it_is
 * 26  read lock becomes write lock                 Rules.whereKept, shown by MeagreSketchContractTest
 * 27  runs without the lock                        WaitingRules.work_is_never_done_without_the_lock
 * 28  a timer thread per lock                      LoadRules.many_leases_need_no_more_threads_than_a_few
 * 29  a registry that grows for ever               NothingIsKeptTest
 * 30  pinned virtual threads                       VirtualThreadRules
 * 31  interrupt swallowed, unlock skipped          WaitingRules.close_releases_although_the_thread_is_interrupted…
 * 34  a remote time stamp and the local clock      as 16
 * 35  a thrown listener kills the renewal          LossRules.an_action_that_throws…, LeaseRules.a_listener_that_throws…
 * </pre>
 */
@NullMarked
package dev.holdfast.testkit.rules;

import org.jspecify.annotations.NullMarked;
