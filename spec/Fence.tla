------------------------------- MODULE Fence -------------------------------
(***************************************************************************)
(* The resource that the lock protects, behind a fence. A holder looks at  *)
(* its lease, enters the fence, reads, and writes what it made of that.    *)
(* Between these steps it may be paused for any time: it may write long    *)
(* after its lease has ended, from another thread than holds the claim by  *)
(* then, or though its client has crashed (the write was on its way).      *)
(***************************************************************************)
EXTENDS Holdfast

VARIABLES
  work,  \* of each token: how far its holder has come
  fence, \* the greatest token that has entered
  read   \* history: the greatest token whose holder has read

resource == <<work, fence, read>>

Tokens == 1 .. MaxToken + Cardinality(Claims)

(* The lease is valid, says the holder's own clock; it does not look again. *)
Begin(c) ==
  /\ Valid(c)
  /\ work[mine[c]] = "none"
  /\ work' = [work EXCEPT ![mine[c]] = "begun"]
  /\ UNCHANGED <<fence, read>>

Passes(t) == t >= fence \/ Bug = "no-fence"

Refused(t) == work' = [work EXCEPT ![t] = "refused"] /\ UNCHANGED <<fence, read>>

(* Before the first read. *)
Enter(t) ==
  /\ work[t] = "begun"
  /\ IF Passes(t) \/ Bug = "fence-checks-writes-only"
     THEN /\ work' = [work EXCEPT ![t] = "read"]
          /\ fence' = IF Bug = "fence-checks-writes-only" THEN fence ELSE Max(t, fence)
          /\ read' = Max(t, read)
     ELSE Refused(t)

Write(t) ==
  /\ work[t] = "read"
  /\ IF Passes(t)
     THEN /\ work' = [work EXCEPT ![t] = "written"]
          /\ fence' = IF Bug = "fence-checks-writes-only" THEN Max(t, fence) ELSE fence
          /\ UNCHANGED read
     ELSE Refused(t)

FenceInit == Init /\ work = [t \in Tokens |-> "none"] /\ fence = 0 /\ read = 0

FenceNext ==
  \/ Next /\ UNCHANGED resource
  \/ \E c \in Claims : Begin(c) /\ UNCHANGED vars
  \/ \E t \in Tokens : (Enter(t) \/ Write(t)) /\ UNCHANGED vars

FenceSpec == FenceInit /\ [][FenceNext]_<<vars, resource>>

(* Nobody overwrites what a later holder has read: its own write would rest on something that is not there any more. *)
NoStaleWrite == [][\A t \in Tokens : work[t] = "read" /\ work'[t] = "written" => t >= read]_resource

=============================================================================
