# Stops a command whose lock is lost, also when the holdfast process beside it is stopped or killed.
# Arguments: the grace between TERM and KILL, in seconds. Needs a shell whose read has -t.
#
# Holdfast writes lines to its standard input: first the command's process id, then
#   SECONDS [SIGNAL]   the lease is valid for so long from now; pass this signal on
#   stop | kill        end the command: TERM, the grace, KILL; or KILL at once
#   done               the command has ended
# The end of the file, or silence for longer than the lease is valid, means stop.
# Exit status: 76 when it stopped the command, 77 when it cannot, 3 when the shell cannot do what it takes, otherwise
# 0: done, killed as told, or the command had ended by itself and what it left behind is stopped.

# Only KILL ends the watchdog: what is meant for the command, or comes from its terminal, does not.
trap '' HUP INT QUIT TERM TSTP TTIN TTOU USR1 USR2
cd /
grace=$1
echo | read -r -t 1 line || exit 3

# Sets $alive to the command, its descendants, and all whose group or session one of these leads: some
# programs (timeout is one) give their children a group of their own. What was found once stays in
# $known, because the children of a process that has died no longer name it as their parent.
scan() {
  rows=
  if [ -r /proc/self/stat ]; then
    for file in /proc/[0-9]*/stat; do
      { read -r line <"$file"; } 2>/dev/null || continue
      pid=${line%% *}
      set -- ${line##*) } # the name before it may hold anything: state parent group session
      case $1 in [ZX]*) continue ;; esac
      rows="$rows $pid:$2:$3:$4"
    done
  else
    set -- $(ps -A -o pid= -o ppid= -o pgid= -o stat=)
    while [ $# -ge 4 ]; do
      case $4 in Z*) ;; *) rows="$rows $1:$2:$3:$3" ;; esac
      shift 4
    done
  fi
  grown=yes
  while [ -n "$grown" ]; do
    grown= alive=
    for row in $rows; do
      pid=${row%%:*} session=${row##*:} row=${row#*:} parent=${row%%:*} row=${row#*:} group=${row%%:*}
      case $known in
        *" $pid "*) alive="$alive $pid" ;;
        *" $parent "* | *" $group "* | *" $session "*) known="$known$pid " grown=yes ;;
      esac
    done
  done
}

# Stops everything: gently first, unless told otherwise.
stop() {
  scan
  status=0
  case "$1$alive " in gently*" $root "*) status=76 ;; esac
  if [ "$1" = gently ] && [ -n "$alive" ]; then
    kill -s TERM $alive
    kill -s CONT $alive # a stopped process cannot act on TERM
    sleep "$grace" &
    while scan && [ -n "$alive" ] && kill -0 $!; do
      sleep 0.05
    done
    kill -s KILL $!
  fi
  rounds=0
  while [ -n "$alive" ] && [ $rounds -lt 100 ]; do
    kill -s KILL $alive
    kill -s KILL -- "-$root" # in one step, so that no fork slips through
    sleep 0.02
    rounds=$((rounds + 1))
    scan
  done
  [ -z "$alive" ] || exit 77
  exit $status
} 2>/dev/null

read -r root || exit 0
known=" $root "
left=60
while read -r -t "$left" order signal; do
  case $order in
    done) exit 0 ;;
    stop) stop gently ;;
    kill) stop now ;;
    *) left=$order ;;
  esac
  if [ "${BASH_VERSINFO:-9}" -lt 4 ]; then # it takes whole seconds only
    left=${left%.*}
    [ "$left" -gt 0 ] || left=1
  fi
  if [ -n "$signal" ]; then
    scan
    kill -s "$signal" $alive 2>/dev/null
  fi
done
stop gently
