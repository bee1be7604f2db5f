------------------------------ MODULE Redlock ------------------------------
(***************************************************************************)
(* A quorum of independent nodes, and tokens that no clock decides.        *)
(*                                                                         *)
(* An attempt to acquire has two phases. The first takes the lock on the   *)
(* nodes and reads their counters; the second writes the greatest counter  *)
(* plus one to the nodes that granted the first. A node that was restarted *)
(* has forgotten everything: it has no vote until it has rested for the    *)
(* longest ttl, and only then learns the counter of a quorum.              *)
(*                                                                         *)
(* Every request is carried out as late as the network likes, or never. An *)
(* answer that is late or lost is one that the client decides without.     *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Nodes,       \* an odd number of them
  Claims,      \* each is one attempt of one client
  Ttl,         \* of a claim at a node, and how long a node rests
  Validity,    \* of a lease, since before the first phase was sent
  Drift,       \* how many more ticks of a node's clock that may take
  MaxRestarts, \* how often a node forgets everything
  Breakers,    \* TRUE: a node drops a claim before its time: an operator breaks the lock, or a clock jumps ahead
  Bug          \* "none", or the name of a fault

Quorum == Cardinality(Nodes) \div 2 + 1

None == "none"

VARIABLES
  holder,   \* at each node: the claim that has the lock, or None
  left,     \* ticks until it expires there
  counter,  \* of each node, for all locks
  votes,    \* TRUE: it remembers, and has a vote
  rest,     \* ticks until a node without a vote has rested
  learnt,   \* what a node that comes back has been told: <<the nodes that told it, the greatest counter>>
  phase,    \* of each claim: "new", "first", "second", "granted", "over"
  age,      \* ticks since before the first phase was sent
  asked,    \* nodes that have not carried out the request of this phase yet
  taken,    \* nodes that granted the first phase, with their counters: the answers that may have arrived
  written,  \* nodes that granted the second phase
  token,    \* of each claim, from its second phase on; 0 before
   \* nodes at which the release of a claim is under way
  granted,  \* history: the tokens that were reported
  before,   \* history: the greatest of them when this claim began
  restarts, \* so far
  broken    \* TRUE: a node has dropped a claim before its time

vars == <<holder, left, counter, votes, rest, learnt, phase, age, asked, taken, written, token, granted, before,
          restarts, broken>>
node == <<holder, left, counter, votes, rest, learnt, restarts, broken>>
client == <<phase, age, asked, taken, written, token, granted, before>>

Max(set) == CHOOSE m \in set : \A n \in set : n <= m

ASSUME Validity + Drift <= Ttl

Later(a) == IF a < Ttl THEN a + 1 ELSE a
InTime(c) == age[c] < Validity + Drift
Valid(c) == phase[c] = "granted" /\ InTime(c)

-----------------------------------------------------------------------------
(* A client. *)

Start(c) ==
  /\ phase[c] = "new"
  /\ phase' = [phase EXCEPT ![c] = "first"]
  /\ asked' = [asked EXCEPT ![c] = Nodes]
  /\ before' = [before EXCEPT ![c] = Max(granted \union {0})]
  /\ UNCHANGED <<node, age, taken, written, token, granted>>

(* With any quorum of the answers: the others may be late. Asks only those. *)
Advance(c) ==
  /\ phase[c] = "first"
  /\ \E q \in SUBSET taken[c] :
       /\ Cardinality(q) >= Quorum
       /\ phase' = [phase EXCEPT ![c] = "second"]
       /\ token' = [token EXCEPT ![c] = Max({v[2] : v \in q}) + 1]
       /\ asked' = [asked EXCEPT ![c] = {v[1] : v \in q}]
       /\ taken' = [taken EXCEPT ![c] = {}]
  /\ UNCHANGED <<node, age, written, granted, before>>

(* With a quorum of these, and time left. *)
Report(c) ==
  /\ phase[c] = "second"
  /\ Cardinality(written[c]) >= Quorum
  /\ InTime(c)
  /\ phase' = [phase EXCEPT ![c] = "granted"]
  /\ granted' = granted \union {token[c]}
  /\ asked' = [asked EXCEPT ![c] = {}]
  /\ written' = [written EXCEPT ![c] = {}]
  /\ UNCHANGED <<node, age, taken, token, before>>

(* A release, or an attempt that failed: the lock is freed on those nodes that hear of it. A first phase that is still *)
(* on its way may be carried out later; a second phase would only raise a counter.                                     *)
Stop(c) ==
  /\ phase[c] \in {"first", "second", "granted"}
  /\ phase' = [phase EXCEPT ![c] = "over"]
  /\ age' = [age EXCEPT ![c] = 0]
  /\ asked' = [asked EXCEPT ![c] = IF phase[c] = "first" THEN @ ELSE {}]
  /\ taken' = [taken EXCEPT ![c] = {}]
  /\ written' = [written EXCEPT ![c] = {}]
  /\ \E freed \in SUBSET {n \in Nodes : votes[n] /\ holder[n] = c} :
       /\ holder' = [n \in Nodes |-> IF n \in freed THEN None ELSE holder[n]]
       /\ left' = [n \in Nodes |-> IF n \in freed THEN 0 ELSE left[n]]
  /\ UNCHANGED <<counter, votes, rest, learnt, restarts, broken, token, granted, before>>

-----------------------------------------------------------------------------
(* A node carries out a script. *)

Free(n) == holder[n] = None \/ left[n] = 0
Ours(n, c) == ~Free(n) /\ holder[n] = c

Done(c, n) == asked' = [asked EXCEPT ![c] = @ \ {n}]

(* join.lua *)
FirstPhase(c, n) ==
  /\ n \in asked[c] /\ token[c] = 0
  /\ Done(c, n)
  /\ IF votes[n] /\ (Free(n) \/ Ours(n, c))
     THEN /\ holder' = [holder EXCEPT ![n] = c]
          /\ left' = [left EXCEPT ![n] = Ttl]
          /\ taken' = [taken EXCEPT ![c] = IF phase[c] = "first" THEN @ \union {<<n, counter[n]>>} ELSE @]
     ELSE UNCHANGED <<holder, left, taken>>
  /\ UNCHANGED <<counter, votes, rest, learnt, phase, age, written, token, granted, before, restarts, broken>>

(* advance.lua: if the lock has been held since the first phase. *)
SecondPhase(c, n) ==
  /\ n \in asked[c] /\ token[c] > 0
  /\ Done(c, n)
  /\ IF votes[n] /\ (Ours(n, c) \/ Bug = "confirms-to-anybody")
     THEN /\ counter' = [counter EXCEPT ![n] = IF Bug = "no-write-back" THEN @ ELSE Max({@, token[c]})]
          /\ written' = [written EXCEPT ![c] = IF phase[c] = "second" THEN @ \union {n} ELSE @]
     ELSE UNCHANGED <<counter, written>>
  /\ UNCHANGED <<holder, left, votes, rest, learnt, phase, age, taken, token, granted, before, restarts, broken>>

-----------------------------------------------------------------------------
(* A node that forgets. A quorum remembers at any time: otherwise an operator must act. *)

Restart(n) ==
  /\ restarts < MaxRestarts
  /\ votes[n] /\ Cardinality({m \in Nodes : votes[m]}) > Quorum
  /\ restarts' = restarts + 1
  /\ votes' = [votes EXCEPT ![n] = Bug = "votes-when-empty"]
  /\ rest' = [rest EXCEPT ![n] = IF Bug \in {"votes-when-empty", "does-not-rest"} THEN 0 ELSE Ttl]
  /\ learnt' = [learnt EXCEPT ![n] = <<{}, 0>>]
  /\ holder' = [holder EXCEPT ![n] = None]
  /\ left' = [left EXCEPT ![n] = 0]
  /\ counter' = [counter EXCEPT ![n] = 0]
  /\ UNCHANGED <<client, broken>>

(* status.lua: another node tells its counter, one at a time. *)
Learn(n, m) ==
  /\ ~votes[n] /\ votes[m]
  /\ rest[n] = 0 \/ Bug = "reads-before-the-rest"
  /\ m \notin learnt[n][1]
  /\ learnt' = [learnt EXCEPT ![n] = <<@[1] \union {m}, Max({@[2], counter[m]})>>]
  /\ UNCHANGED <<holder, left, counter, votes, rest, restarts, broken, client>>

(* install.lua *)
Return(n) ==
  /\ ~votes[n] /\ rest[n] = 0
  /\ Cardinality(learnt[n][1]) >= Quorum
  /\ votes' = [votes EXCEPT ![n] = TRUE]
  /\ counter' = [counter EXCEPT ![n] = learnt[n][2]]
  /\ learnt' = [learnt EXCEPT ![n] = <<{}, 0>>]
  /\ UNCHANGED <<holder, left, rest, restarts, broken, client>>

Drop(n) ==
  /\ Breakers /\ votes[n] /\ ~Free(n)
  /\ broken' = TRUE
  /\ holder' = [holder EXCEPT ![n] = None]
  /\ left' = [left EXCEPT ![n] = 0]
  /\ UNCHANGED <<counter, votes, rest, learnt, restarts, client>>

-----------------------------------------------------------------------------

Tick ==
  /\ left' = [n \in Nodes |-> IF left[n] > 0 THEN left[n] - 1 ELSE 0]
  /\ holder' = [n \in Nodes |-> IF left[n] <= 1 THEN None ELSE holder[n]]
  /\ rest' = [n \in Nodes |-> IF rest[n] > 0 THEN rest[n] - 1 ELSE 0]
  /\ age' = [c \in Claims |-> IF phase[c] \in {"new", "over"} THEN age[c] ELSE Later(age[c])]
  /\ UNCHANGED <<counter, votes, learnt, phase, asked, taken, written, token, granted, before, restarts, broken>>

Init ==
  /\ holder = [n \in Nodes |-> None]
  /\ left = [n \in Nodes |-> 0]
  /\ counter = [n \in Nodes |-> 0]
  /\ votes = [n \in Nodes |-> TRUE]
  /\ rest = [n \in Nodes |-> 0]
  /\ learnt = [n \in Nodes |-> <<{}, 0>>]
  /\ phase = [c \in Claims |-> "new"]
  /\ age = [c \in Claims |-> 0]
  /\ asked = [c \in Claims |-> {}]
  /\ taken = [c \in Claims |-> {}]
  /\ written = [c \in Claims |-> {}]
  /\ token = [c \in Claims |-> 0]
  /\ granted = {}
  /\ before = [c \in Claims |-> 0]
  /\ restarts = 0
  /\ broken = FALSE

Next ==
  \/ \E c \in Claims : Start(c) \/ Advance(c) \/ Report(c) \/ Stop(c)
  \/ \E c \in Claims, n \in Nodes : FirstPhase(c, n) \/ SecondPhase(c, n)
  \/ \E n \in Nodes : Restart(n) \/ Return(n) \/ Drop(n)
  \/ \E n, m \in Nodes : Learn(n, m)
  \/ Tick

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

TypeOK ==
  /\ \A n \in Nodes : holder[n] \in Claims \union {None} /\ left[n] \in 0 .. Ttl /\ (holder[n] = None <=> left[n] = 0)
  /\ \A c \in Claims : taken[c] \subseteq Nodes \X (0 .. Cardinality(Claims)) /\ written[c] \subseteq Nodes

(* Which node is which, and which claim, makes no difference; TLC looks at one of several states that differ in that only. *)
Symmetry == {n @@ c : n \in Permutations(Nodes), c \in Permutations(Claims)}

(* No two leases are valid at once, as long as no node drops a claim before its time. *)
Exclusion == broken \/ Cardinality({c \in Claims : Valid(c)}) <= 1

(* A grant has a greater token than every one that was reported before its client began; no clock is needed for that. *)
TokenOrder == \A c \in Claims : phase[c] = "granted" => token[c] > before[c]

(* No two grants have the same token. *)
TokensDiffer ==
  [][\A c \in Claims : phase[c] # "granted" /\ phase'[c] = "granted" => token[c] \notin granted]_vars

=============================================================================
