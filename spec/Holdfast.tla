------------------------------ MODULE Holdfast ------------------------------
(***************************************************************************)
(* One lock, its store, a network, and clients that pause and crash.       *)
(*                                                                         *)
(* Time is counted in ticks, and kept as ages and as time that is left,    *)
(* never as a date: so the states are finite however long a run lasts.     *)
(* A client that is paused is one that takes no step while others do, and  *)
(* every client may be, at any moment, between any two of its steps.       *)
(***************************************************************************)
EXTENDS Queue

CONSTANTS
  Validity,   \* how long a lease is valid since the send of the last confirmed request, in ticks of the client's clock
  Drift,      \* how many more ticks of the store's clock that may take, where the client's clock is slow
  Repeats,    \* claims whose join a client repeats if it is not answered
  MaxDoubles, \* how many messages the network doubles
  MaxLosses,  \* how many it loses; Unlimited for any number
  MaxToken,   \* a store that has come so far reserves no more tokens for hand-off
  Breakers,   \* TRUE: operators break the lock
  SetsBack,   \* TRUE: the store's clock is set back
  Slow,       \* claims whose client's clock is as slow as Drift allows
  GivesUp,    \* claims whose caller may give up
  Crashes,    \* claims whose client may crash
  Prompt      \* TRUE: messages and clients are on time, for the liveness; FALSE: nothing bounds a delay

Unlimited == 99

Max(a, b) == IF a > b THEN a ELSE b

VARIABLES
  store,   \* see Queue
  net,     \* the messages under way
  phase,   \* of each claim, as its client knows it
  age,     \* ticks since the send of the last confirmed request
  mine,    \* the token of the holder
  spare,   \* the token that is reserved for the next holder in the same client; 0: none
  joins,   \* how often its join was sent
  late,    \* claims with a join that may still be on its way, whatever was answered since
  broken,  \* claims that were ended by an operator
  highest, \* history: the greatest token of any grant, and of any exclusive one
  doubles, \* messages doubled so far
  losses   \* messages lost so far

vars == <<store, net, phase, age, mine, spare, joins, late, broken, highest, doubles, losses>>
client == <<phase, age, mine, spare, joins, late>>
faults == <<doubles, losses>>

-----------------------------------------------------------------------------
(* The clock of a client, and what it makes of it. *)

ASSUME Validity + Drift <= Ttl \* the margin, Ttl - Validity, covers the drift

Counted == IF Bug = "no-margin" THEN Ttl ELSE Validity
Oldest == Counted + Drift
Later(a) == IF a < Oldest THEN a + 1 ELSE a

(* What isValid() answers: by the client's own clock, from what it knows. *)
Valid(c) == phase[c] = "granted" /\ age[c] < (IF c \in Slow THEN Counted + Drift ELSE Counted)

Exclusive(c) == Weight(c) = Capacity

Raised(token, exclusive) == <<Max(token, highest[1]), IF exclusive THEN Max(token, highest[2]) ELSE highest[2]>>

-----------------------------------------------------------------------------
(* Messages. A request carries the time since it was sent, and its answer  *)
(* the same: so the client knows from when a confirmation counts.          *)

Request(verb, c, tombstone) == [kind |-> "request", verb |-> verb, claim |-> c, tombstone |-> tombstone, age |-> 0]

Answer(m, says, token, more) ==
  [kind |-> "answer", verb |-> m.verb, claim |-> m.claim, says |-> says, token |-> token, spare |-> more, age |-> m.age]

(* In which phase a client listens to the answer to this request. *)
Expects(in, verb) ==
  CASE verb = "join"    -> in = "joining"
    [] verb = "refresh" -> in \in {"queued", "granted"}
    [] verb = "leave"   -> in = "leaving"

(* An answer that nobody listens to is as good as lost, and the age of its request is of no use. *)
Useful(messages, c, in) ==
  {IF m.claim = c /\ ~Expects(in, m.verb) THEN [m EXCEPT !.age = 0] ELSE m :
     m \in {n \in messages : n.claim = c /\ n.kind = "answer" => Expects(in, n.verb)}}

OlderMessage(m) == IF Expects(phase[m.claim], m.verb) /\ m.verb # "leave" THEN [m EXCEPT !.age = Later(@)] ELSE m

(* A client has one refresh, and one leave, under way at a time. *)
UnderWay(verb, c) == \E m \in net : m.claim = c /\ m.verb = verb

(* A claim that is not granted has no token and no validity. *)
Goes(c, next, messages) ==
  /\ phase' = [phase EXCEPT ![c] = next]
  /\ net' = Useful(messages, c, next)
  /\ age' = [age EXCEPT ![c] = 0]
  /\ mine' = [mine EXCEPT ![c] = 0]
  /\ spare' = [spare EXCEPT ![c] = 0]

-----------------------------------------------------------------------------
(* What a client does. *)

(* Without an answer it may send the same claim again: then the first join may be late. *)
SendJoin(c) ==
  /\ phase[c] \in {"new", "joining"}
  /\ joins[c] < IF c \in Repeats THEN 2 ELSE 1
  /\ joins' = [joins EXCEPT ![c] = @ + 1]
  /\ late' = IF phase[c] = "joining" THEN late \union {c} ELSE late
  /\ Goes(c, "joining", net \union {Request("join", c, FALSE)})
  /\ UNCHANGED <<store, broken, highest, faults>>

SendRefresh(c) ==
  /\ phase[c] \in {"queued", "granted"}
  /\ ~UnderWay("refresh", c)
  /\ net' = net \union {Request("refresh", c, FALSE)}
  /\ UNCHANGED <<store, client, broken, highest, faults>>

(* With a tombstone, if a join may be late. *)
Leaving(c, doubtful) == Request("leave", c, c \in doubtful /\ Bug # "no-tombstone")

SendLeave(c) ==
  LET doubtful == IF phase[c] = "joining" THEN late \union {c} ELSE late
  IN /\ ~UnderWay("leave", c)
     /\ late' = doubtful
     /\ Goes(c, "leaving", net \union {Leaving(c, doubtful)})
     /\ UNCHANGED <<store, joins, broken, highest, faults>>

(* Giving up is leaving. The caller is told when the leave is answered. *)
GiveUp(c) == c \in GivesUp /\ phase[c] \in {"joining", "queued"} /\ SendLeave(c)

(* Also of a lease that is lost: perhaps the store still has the claim. *)
Release(c) == phase[c] \in {"granted", "lost"} /\ SendLeave(c)

(* Without an answer the leave is repeated. *)
RepeatLeave(c) == phase[c] = "leaving" /\ Bug # "leave-sent-once" /\ SendLeave(c)

(* The deadline has passed. A paused client does this late. *)
Lose(c) ==
  /\ phase[c] = "granted" /\ ~Valid(c)
  /\ Goes(c, "lost", net)
  /\ UNCHANGED <<store, joins, late, broken, highest, faults>>

(* The claim goes to the next thread of the client, with a token that was reserved for that. *)
HandOff(c) ==
  LET token == IF Bug = "hand-off-unreserved" THEN mine[c] + 1 ELSE spare[c]
  IN /\ Valid(c) /\ 2 * age[c] <= Validity
     /\ token \in mine[c] + 1 .. MaxToken
     /\ mine' = [mine EXCEPT ![c] = token]
     /\ spare' = [spare EXCEPT ![c] = 0]
     /\ highest' = Raised(token, Exclusive(c))
     /\ UNCHANGED <<store, net, phase, age, joins, late, broken, faults>>

Crash(c) ==
  /\ c \in Crashes
  /\ phase[c] \in {"joining", "queued", "granted", "leaving"}
  /\ Goes(c, "crashed", net)
  /\ UNCHANGED <<store, joins, late, broken, highest, faults>>

-----------------------------------------------------------------------------
(* What a client makes of an answer. *)

Since(m) == IF Bug = "validity-from-answer" THEN 0 ELSE m.age

Begins(c, m) ==
  /\ phase' = [phase EXCEPT ![c] = "granted"]
  /\ net' = Useful(net \ {m}, c, "granted")
  /\ age' = [age EXCEPT ![c] = Since(m)]
  /\ mine' = [mine EXCEPT ![c] = m.token]
  /\ spare' = [spare EXCEPT ![c] = m.spare]

Renews(c, m) ==
  /\ age' = [age EXCEPT ![c] = IF Since(m) < @ THEN Since(m) ELSE @]
  /\ net' = net \ {m}
  /\ UNCHANGED <<phase, mine, spare>>

Hears(c, m) ==
  LET told == <<m.verb, m.says, phase[c]>> IN
  CASE m.says = "granted" /\ phase[c] # "granted"      -> Begins(c, m)
    [] m.says = "granted" /\ phase[c] = "granted"      -> IF Valid(c) \/ Bug = "late-answer-counts"
                                                          THEN Renews(c, m)
                                                          ELSE Goes(c, "lost", net \ {m}) \* the loss may be known
    [] told = <<"join", "queued", "joining">>          -> Goes(c, "queued", net \ {m})
    [] told = <<"join", "busy", "joining">>            -> Goes(c, "out", net \ {m})
    [] told = <<"refresh", "gone", "granted">>         -> Goes(c, "lost", net \ {m})
    [] told = <<"refresh", "gone", "queued">>          -> IF c \in late /\ Bug # "gone-waiter-forgotten"
                                                          THEN Goes(c, "leaving", (net \ {m}) \union {Leaving(c, late)})
                                                          ELSE Goes(c, "gone", net \ {m}) \* its caller joins again
    [] told = <<"leave", "left", "leaving">>           -> Goes(c, "out", net \ {m})
    [] OTHER                                           -> net' = net \ {m} /\ UNCHANGED <<phase, age, mine, spare>>

HearOne(m) ==
  /\ m.kind = "answer" /\ Hears(m.claim, m)
  /\ UNCHANGED <<store, joins, late, broken, highest, faults>>

Hear(c) == \E m \in net : m.claim = c /\ HearOne(m)

-----------------------------------------------------------------------------
(* What the store does with a request. *)

(* Tokens of new grants count from the moment at which the store writes them down. *)
RECURSIVE Counts(_, _)
Counts(next, new) ==
  IF new = {} THEN highest
  ELSE LET c == CHOOSE c \in new : \A d \in new : next.token[d] <= next.token[c]
           before == Counts(next, new \ {c})
       IN <<Max(next.token[c], before[1]), IF Exclusive(c) THEN Max(next.token[c], before[2]) ELSE before[2]>>

Changes(next) == store' = next /\ highest' = Counts(next, {c \in Claims : next.token[c] \notin {0, store.token[c]}})

(* Tokens for hand-off come with the answer to a client that does not know yet that it holds. *)
Reserves(s, c) == s.token[c] > 0 /\ phase[c] \in {"joining", "queued"} /\ s.last < MaxToken

Standing(s, m) ==
  LET c == m.claim IN
  CASE s.token[c] > 0 ->
         Answer(m, "granted", s.token[c],
                IF ~Reserves(s, c) THEN 0 ELSE IF Revisions THEN s.token[c] + 1 ELSE s.last + 1)
    [] s.token[c] = 0 /\ c \in Range(s.queue) -> Answer(m, "queued", 0, 0)
    [] OTHER -> Answer(m, IF m.verb = "join" THEN "busy" ELSE "gone", 0, 0)

Step(m) ==
  CASE m.verb = "join"    -> Join(store, m.claim)
    [] m.verb = "refresh" -> Refresh(store, m.claim)
    [] m.verb = "leave"   -> Leave(store, m.claim, m.tombstone)

HandleOne(m) ==
  LET c == m.claim
      next == Step(m)
      reserves == m.verb # "leave" /\ Reserves(next, c) /\ ~Revisions
      answer == IF m.verb = "leave" THEN Answer(m, "left", 0, 0) ELSE Standing(next, m)
  IN /\ m.kind = "request"
     /\ Changes(IF reserves THEN [next EXCEPT !.last = @ + 1] ELSE next)
     /\ net' = Useful((net \ {m}) \union {answer}, c, phase[c])
     /\ UNCHANGED <<client, broken, faults>>

Handle(c) == \E m \in net : m.claim = c /\ HandleOne(m)

(* Nobody asks, and the clock grants the next claim all the same. *)
Sweep ==
  /\ Settle(store) # store
  /\ Changes(Settle(store))
  /\ UNCHANGED <<net, client, broken, faults>>

Break ==
  /\ Breakers /\ Granted(Settle(store)) # {}
  /\ Changes(Evict(store))
  /\ broken' = broken \union Granted(Settle(store))
  /\ UNCHANGED <<net, client, faults>>

-----------------------------------------------------------------------------
(* The network delays a message by not delivering it yet. *)

Lost == \E m \in net :
  /\ losses < MaxLosses
  /\ losses' = IF MaxLosses = Unlimited THEN 0 ELSE losses + 1
  /\ net' = net \ {m}
  /\ UNCHANGED <<store, client, broken, highest, doubles>>

(* A request is carried out, but stays on its way; the answer to this copy is lost. *)
Doubled == \E m \in net :
  /\ doubles < MaxDoubles
  /\ m.kind = "request" /\ (m.verb = "join" => m.claim \in late)
  /\ doubles' = doubles + 1
  /\ Changes(Step(m))
  /\ UNCHANGED <<net, client, broken, losses>>

-----------------------------------------------------------------------------
(* Time passes, for everybody. *)

OnTime ==
  /\ \A m \in net : m.age = 0 /\ m.verb # "leave"
  /\ \A c \in Claims :
       CASE phase[c] = "joining" -> UnderWay("join", c)
         [] phase[c] = "queued" \/ (phase[c] = "granted" /\ age[c] > 0) -> UnderWay("refresh", c)
         [] OTHER -> TRUE

Tick ==
  /\ ~Prompt \/ OnTime
  /\ store' = Older(store)
  /\ net' = {OlderMessage(m) : m \in net}
  /\ age' = [c \in Claims |-> IF phase[c] = "granted" THEN Later(age[c]) ELSE age[c]]
  /\ UNCHANGED <<phase, mine, spare, joins, late, broken, highest, faults>>

ClockSetBack ==
  /\ SetsBack
  /\ store' = SetBack(store)
  /\ UNCHANGED <<net, client, broken, highest, faults>>

-----------------------------------------------------------------------------

Init ==
  /\ store = Empty
  /\ net = {}
  /\ phase = [c \in Claims |-> "new"]
  /\ age = [c \in Claims |-> 0]
  /\ mine = [c \in Claims |-> 0]
  /\ spare = [c \in Claims |-> 0]
  /\ joins = [c \in Claims |-> 0]
  /\ late = {}
  /\ broken = {}
  /\ highest = <<0, 0>>
  /\ doubles = 0
  /\ losses = 0

Next ==
  \/ \E c \in Claims : \/ SendJoin(c) \/ SendRefresh(c) \/ GiveUp(c) \/ Release(c) \/ RepeatLeave(c)
                       \/ Lose(c) \/ HandOff(c) \/ Crash(c) \/ Hear(c) \/ Handle(c)
  \/ Lost \/ Doubled \/ Sweep \/ Break \/ Tick \/ ClockSetBack

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold in every state. *)

Phases == {"new", "joining", "queued", "granted", "leaving", "out", "gone", "lost", "crashed"}

TypeOK ==
  /\ Range(store.queue) \subseteq Claims
  /\ phase \in [Claims -> Phases]
  /\ age \in [Claims -> 0 .. Oldest]
  /\ \A c \in Claims : store.left[c] \in 0 .. Ttl

(* Which of them is which makes no difference, where the configuration treats them alike. Not for liveness. *)
Symmetry == Permutations(Readers)

(* No two leases that exclude each other are valid at the same moment, each by its own clock. *)
Exclusion ==
  LET valid == {c \in Claims : Valid(c) /\ c \notin broken}
  IN Cardinality(valid \intersect Readers) + Capacity * Cardinality(valid \ Readers) <= Capacity

(* A lease is never valid once the store could admit the next holder. *)
Truth == \A c \in Claims : Valid(c) /\ c \notin broken => c \in Granted(store) /\ Lives(store, c)

(* The rule: granted claims are at the head of the queue, and fit together. *)
Admission ==
  \A i \in DOMAIN store.queue :
     store.token[store.queue[i]] > 0 => Fits(store.queue, i) /\ \A j \in 1 .. i : store.token[store.queue[j]] > 0

(* No claim that could be granted is forgotten until somebody asks: each step grants what fits. *)
Promoted == \A i \in DOMAIN store.queue : Fits(store.queue, i) => store.token[store.queue[i]] > 0

(* A caller that heard that it is out has no claim at the store, now or later. *)
NoGhost == \A c \in Claims : phase[c] \in {"out", "gone"} => c \notin Range(store.queue)

(* What must hold for every step. *)

(* A grant has a greater token than all exclusive ones before it, an exclusive one than all. *)
TokenOrder ==
  [][\A c \in Claims :
       /\ store'.token[c] > 0 /\ store'.token[c] # store.token[c]
            => store'.token[c] > (IF Exclusive(c) THEN highest[1] ELSE highest[2])
       /\ phase[c] = "granted" /\ phase'[c] = "granted" /\ mine'[c] # mine[c] /\ c \notin broken
            => mine'[c] > (IF Exclusive(c) THEN highest[1] ELSE highest[2])]_vars

(* A lease that is over stays over. *)
LossIsFinal == [][\A c \in Claims : phase[c] \in {"granted", "lost"} /\ ~Valid(c) => ~Valid(c)']_vars

(* A claim leaves the store by its own leave, its ttl or a break, and by nothing else. *)
Ownership ==
  [][\A c \in Range(store.queue) \ Range(store'.queue) :
       \/ ~Lives(store, c)
       \/ c \in broken'
       \/ phase[c] \in {"leaving", "crashed", "out"}]_vars

=============================================================================
