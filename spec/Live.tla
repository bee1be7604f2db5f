-------------------------------- MODULE Live --------------------------------
(***************************************************************************)
(* What comes true in the end, if messages arrive and clients run.         *)
(*                                                                         *)
(* Fairness: what can be done from some time on is done again and again;   *)
(* and time does not stand still while messages come and go: it passes if  *)
(* it can again and again. This is written down with the last thing that   *)
(* was done, because TLC takes long to find out by itself whether an       *)
(* action as large as these can happen, and whether a step was one.        *)
(***************************************************************************)
EXTENDS Holdfast

VARIABLE done \* the last thing that was done, and by which claim

all == <<vars, done>>

CanArrive(c) == \E m \in net : m.claim = c

CanAsk(c) ==
  \/ phase[c] \in {"new", "joining"} /\ joins[c] < IF c \in Repeats THEN 2 ELSE 1
  \/ phase[c] \in {"queued", "granted"} /\ ~UnderWay("refresh", c)
  \/ phase[c] = "leaving" /\ ~UnderWay("leave", c) /\ Bug # "leave-sent-once"

CanRelease(c) == phase[c] \in {"granted", "lost"}

CanTick ==
  /\ OnTime
  /\ \/ Older(store) # store
     \/ \E c \in Claims : phase[c] = "granted" /\ age[c] < Oldest
     \/ \E m \in net : OlderMessage(m) # m

CanSweep == Settle(store) # store

LiveInit == Init /\ done = <<"nothing">>

LiveNext ==
  \/ \E c \in Claims :
       \/ (Handle(c) \/ Hear(c)) /\ done' = <<"arrives", c>>
       \/ (SendJoin(c) \/ SendRefresh(c) \/ RepeatLeave(c)) /\ done' = <<"asks", c>>
       \/ Release(c) /\ done' = <<"releases", c>>
       \/ (GiveUp(c) \/ Lose(c) \/ HandOff(c) \/ Crash(c)) /\ done' = <<"nothing">>
  \/ Lost /\ done' = <<"nothing">>
  \/ Tick /\ done' = <<"tick">>
  \/ Sweep /\ done' = <<"sweep">>

Fairness ==
  /\ <>[](~CanTick) \/ []<><<done' = <<"tick">>>>_all
  /\ []<>(~CanSweep) \/ []<><<done' = <<"sweep">>>>_all
  /\ \A c \in Claims :
       /\ []<>(~CanArrive(c)) \/ []<><<done' = <<"arrives", c>>>>_all
       /\ []<>(~CanAsk(c)) \/ []<><<done' = <<"asks", c>>>>_all
       /\ []<>(~CanRelease(c)) \/ []<><<done' = <<"releases", c>>>>_all

LiveSpec == LiveInit /\ [][LiveNext]_all /\ Fairness

-----------------------------------------------------------------------------

(* A caller that waits, and goes on waiting, is granted. *)
Served == \A c \in Claims \ (GivesUp \union Crashes) :
            phase[c] \in {"joining", "queued"} ~> phase[c] = "granted"

(* A caller that may give up hears that it is out, also after a release. *)
Told == \A c \in GivesUp : phase[c] = "leaving" ~> phase[c] \in {"out", "crashed"}

(* What a crashed client left behind ends by itself. *)
Cleared == \A c \in Crashes : phase[c] = "crashed" ~> c \notin Range(store.queue)

=============================================================================
