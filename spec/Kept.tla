-------------------------------- MODULE Kept --------------------------------
(***************************************************************************)
(* Claims that a client keeps though nobody holds them, and tries that     *)
(* meet one. A keepable claim is marked at the store. The store ends that  *)
(* with the answer to a refresh that says that others wait: then its       *)
(* client knows. A try waits as long as the claim ahead is keepable.       *)
(*                                                                         *)
(* No hint is needed here: an idle claim is given back some time, and a    *)
(* try asks when it likes.                                                 *)
(***************************************************************************)
EXTENDS Holdfast

CONSTANTS
  Keepers, \* claims that their client may keep
  Tries    \* claims that wait for nothing but a keepable claim

VARIABLES
  idle,     \* claims that stay though nobody holds them, as their client knows
  keepable, \* claims that are marked at the store
  says,     \* what the last answer to a claim says: of a keeper, that others wait; of a try, that it is behind a keepable claim
  told,     \* keepers that know that others wait, and tries that know that the owner works
  worked    \* history: tries during which something else than an idle claim was in the way

kept == <<idle, keepable, says, told, worked>>

-----------------------------------------------------------------------------
(* At the store. *)

Waits(s) == \E c \in Range(s.queue) : s.token[c] = 0

Behind(s, c, marked) ==
  Len(s.queue) > 1 /\ s.queue[2] = c /\ s.queue[1] \in marked /\ s.token[s.queue[1]] > 0

Serves(m) ==
  /\ HandleOne(m)
  /\ LET c == m.claim
         joined == IF m.verb = "join" THEN {c} \intersect Keepers ELSE {}
         marked == (keepable \union joined) \intersect Range(store'.queue)
         wanted == m.verb # "leave" /\ c \in marked /\ store'.token[c] > 0 /\ Waits(store')
     IN /\ keepable' = IF wanted THEN marked \ {c} ELSE marked
        /\ says' = [says EXCEPT ![c] = IF c \in Keepers THEN wanted
                                       ELSE Bug # "try-is-busy" /\ Behind(store', c, marked)]
  /\ UNCHANGED told

-----------------------------------------------------------------------------
(* At the client. *)

Learns(m) ==
  LET c == m.claim
      wanted == m.says = "granted" /\ c \in Keepers /\ says[c]
      works == m.says = "queued" /\ c \in Tries /\ ~says[c]
  IN /\ HearOne(m)
     /\ told' = IF wanted \/ works THEN told \union {c} ELSE told
     /\ UNCHANGED <<keepable, says>>

(* The last holder has released it. *)
Keep(c) ==
  /\ c \in Keepers \ idle /\ Valid(c)
  /\ c \notin told \/ Bug = "kept-though-wanted"
  /\ ~UnderWay("refresh", c) \/ Bug = "kept-while-renewed"
  /\ idle' = idle \union {c}
  /\ UNCHANGED <<vars, keepable, says, told>>

(* The client comes back: the next token, and no request. *)
Resume(c) ==
  /\ c \in idle
  /\ IF Bug = "kept-past-validity"
     THEN /\ phase[c] = "granted" /\ spare[c] > 0
          /\ mine' = [mine EXCEPT ![c] = spare[c]] /\ spare' = [spare EXCEPT ![c] = 0]
          /\ age' = [age EXCEPT ![c] = 0]
          /\ UNCHANGED <<store, net, phase, joins, late, broken, highest, faults>>
     ELSE HandOff(c)
  /\ idle' = idle \ {c}
  /\ UNCHANGED <<keepable, says, told>>

(* An idle claim is not renewed. *)
Renew(c) == (c \notin idle \/ Bug = "idle-renewed") /\ SendRefresh(c)

(* A try that knows that the owner works is busy. *)
Busy(c) == c \in Tries \intersect told /\ phase[c] = "queued" /\ SendLeave(c)

(* Also of an idle claim, at any time. *)
GiveBack(c) == Release(c)

-----------------------------------------------------------------------------

KeptInit ==
  /\ Init
  /\ idle = {} /\ keepable = {} /\ told = {} /\ worked = {}
  /\ says = [c \in Claims |-> FALSE]

Asks(c) == SendJoin(c) \/ Renew(c) \/ Busy(c) \/ GiveBack(c) \/ RepeatLeave(c) \/ Lose(c) \/ Crash(c)

StillIdle == idle' = {c \in idle : phase'[c] \in {"granted", "crashed"}}

(* Everything at the store but an idle claim is in the way of a try. *)
InTheWay(t) == Range(store.queue) \ (idle \union {t}) # {}

History == worked' = {t \in Tries : phase'[t] \in {"joining", "queued"} /\ (t \in worked \/ InTheWay(t)')}

KeptHandle == \E m \in net : Serves(m) /\ StillIdle /\ History

KeptHear == \E m \in net : Learns(m) /\ StillIdle /\ History

KeptAsk == \E c \in Claims : Asks(c) /\ StillIdle /\ History /\ UNCHANGED <<keepable, says, told>>

KeptIdle == \E c \in Claims : Keep(c) /\ History

KeptResume == \E c \in Claims : Resume(c) /\ History

KeptEnd ==
  /\ Sweep \/ Break
  /\ keepable' = keepable \intersect Range(store'.queue)
  /\ UNCHANGED <<idle, says, told>>
  /\ History

KeptTick == Tick /\ UNCHANGED <<idle, keepable, says, told>> /\ History

KeptNext == KeptHandle \/ KeptHear \/ KeptAsk \/ KeptIdle \/ KeptResume \/ KeptEnd \/ KeptTick

KeptSpec == KeptInit /\ [][KeptNext]_<<vars, kept>>

-----------------------------------------------------------------------------

(* A try is told that the owner works only if it has worked since the try began. *)
BusyIsTrue == \A t \in Tries \intersect told : phase[t] = "queued" => t \in worked

(* The store knows of every idle claim that it may be idle. *)
IdleIsMarked == \A c \in idle \intersect Range(store.queue) : c \in keepable

=============================================================================
