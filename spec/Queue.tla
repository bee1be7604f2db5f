------------------------------- MODULE Queue -------------------------------
(***************************************************************************)
(* The queue of one lock at the store: a record, and each verb of the      *)
(* store as a function from one record to the next. A step is atomic: it   *)
(* begins by removing the expired claims, acts, and ends by granting the   *)
(* claims that fit then.                                                   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Claims,    \* each is one attempt of one client
  Readers,   \* those that weigh 1; each other one weighs all of the capacity
  Capacity,  \* of the lock
  Ttl,       \* how long a granted claim lives without renewal, in ticks of the store's clock
  WaitTtl,   \* the same for a claim that waits
  Revisions, \* TRUE: a token is the revision at which its claim was created; FALSE: a counter
  Bug        \* "none", or the name of a fault: see Holdfast.tla

Empty ==
  [queue |-> <<>>,                          \* in order of arrival
   token |-> [c \in Claims |-> 0],          \* written down with the grant; 0: it waits, or is not there
   left  |-> [c \in Claims |-> 0],          \* ticks until it expires
   stamp |-> [c \in Claims |-> 0],          \* the revision at which it was created
   last  |-> 0,                             \* the last token, or revision, that was given out
   tombs |-> {}]                            \* claims whose late join is refused

Weight(c) == IF c \in Readers THEN 1 ELSE Capacity

Range(seq) == {seq[i] : i \in DOMAIN seq}

RECURSIVE WeightOf(_)
WeightOf(seq) == IF seq = <<>> THEN 0 ELSE Weight(Head(seq)) + WeightOf(Tail(seq))

(* The rule: the weights of all claims ahead and its own fit the capacity. *)
Fits(queue, i) == WeightOf(SubSeq(queue, 1, i)) <= Capacity

Granted(s) == {c \in Range(s.queue) : s.token[c] > 0}

Lives(s, c) == s.left[c] > 0

-----------------------------------------------------------------------------

Grant(s, c) ==
  IF Revisions
  THEN [s EXCEPT !.token[c] = 2 * s.stamp[c]] \* with room for a reserved token before the next
  ELSE [s EXCEPT !.last = @ + 1, !.token[c] = s.last + 1]

(* Grants what fits, in the order of the queue. *)
RECURSIVE PromoteFrom(_, _, _)
PromoteFrom(s, queue, i) ==
  IF i > Len(queue) \/ ~Fits(queue, i)
  THEN s
  ELSE PromoteFrom(IF s.token[queue[i]] = 0 THEN Grant(s, queue[i]) ELSE s, queue, i + 1)

Promote(s) ==
  LET alive(c) == Lives(s, c)
  IN PromoteFrom(s, IF Bug = "grant-by-time" THEN SelectSeq(s.queue, alive) ELSE s.queue, 1)

Remove(s, gone) ==
  LET stays(c) == c \notin gone
      keep(f) == [c \in Claims |-> IF c \in gone THEN 0 ELSE f[c]]
  IN [s EXCEPT !.queue = SelectSeq(@, stays), !.token = keep(@), !.left = keep(@), !.stamp = keep(@)]

Expired(s) == IF Bug = "no-expiry" THEN {} ELSE {c \in Range(s.queue) : ~Lives(s, c)}

(* Every step begins so. *)
Settle(s) == IF Bug = "grant-by-time" THEN Promote(s) ELSE Promote(Remove(s, Expired(s)))

(* Its ttl starts now. *)
Arm(s, c) == [s EXCEPT !.left[c] = IF s.token[c] > 0 THEN Ttl ELSE WaitTtl]

Stamp(s, c) == IF Revisions THEN [s EXCEPT !.last = @ + 1, !.stamp[c] = s.last + 1] ELSE s

-----------------------------------------------------------------------------
(* The verbs. *)

Join(s0, c) ==
  LET s == Settle(s0)
      known == c \in Range(s.queue)
      entered == Stamp([s EXCEPT !.queue = IF Bug = "overtaking" THEN <<c>> \o @ ELSE Append(@, c)], c)
  IN CASE c \in s.tombs -> s
       [] c \notin s.tombs /\ known -> IF Bug = "repeated-join-keeps-ttl" THEN s ELSE Arm(s, c)
       [] OTHER -> Arm(Promote(entered), c)

Refresh(s0, c) ==
  LET s == Settle(s0)
      revived == [s EXCEPT !.queue = <<c>> \o @, !.token[c] = 1]
      changed == Stamp(s, c)
      modified == IF s.token[c] > 0 THEN [changed EXCEPT !.token[c] = 2 * changed.stamp[c]] ELSE changed
  IN CASE c \in Range(s.queue) -> Arm(IF Bug = "modify-index" THEN modified ELSE s, c)
       [] c \notin Range(s.queue) /\ Bug = "refresh-revives" -> Arm(revived, c)
       [] OTHER -> s

(* With a tombstone, if the join may still be on its way. *)
Leave(s0, c, tombstone) ==
  LET s == Settle(s0)
      ended == IF Bug = "release-of-any" THEN Granted(s) ELSE {c} \cap Range(s.queue)
      marked == IF tombstone THEN [s EXCEPT !.tombs = @ \union {c}] ELSE s
      alone == ended \cap Granted(s) = {} \* a waiter leaves
  IN IF Bug = "waiter-leaves-in-silence" /\ alone THEN Remove(marked, ended) ELSE Promote(Remove(marked, ended))

(* An operator breaks the lock: whoever holds it. *)
Evict(s0) ==
  LET s == Settle(s0)
      broken == Remove(s, Granted(s))
  IN Promote(IF Bug = "break-forgets-token" THEN [broken EXCEPT !.last = 0] ELSE broken)

(* Time passes. A clock that is set back lets nobody live longer than a ttl. *)
Older(s) == [s EXCEPT !.left = [c \in Claims |-> IF s.left[c] > 0 THEN s.left[c] - 1 ELSE 0]]

SetBack(s) ==
  [s EXCEPT !.left = [c \in Claims |-> IF c \in Range(s.queue) /\ s.left[c] < WaitTtl THEN s.left[c] + 1
                                       ELSE s.left[c]]]

=============================================================================
