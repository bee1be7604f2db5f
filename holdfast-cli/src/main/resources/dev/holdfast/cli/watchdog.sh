# Stops a command whose lock is lost, also when the holdfast process beside it is stopped or killed.
# Arguments: the grace between TERM and KILL, in seconds; the marker that the command has in its environment.
# Needs a shell whose read has -t.
#
# Holdfast writes lines to its standard input: first the command's process id, then
#   SECONDS [SIGNAL]   the lease is valid for this long from now; pass this signal on
#   stop | kill        end the command: TERM, the grace, KILL; or KILL at once
#   done               the command has ended
# The end of the file, or silence for longer than the lease is valid, means stop.
# Exit status: 76 when it stopped the command, 77 when it cannot, 3 when the shell cannot do what it takes, otherwise
# 0: done, killed as told, or the command had ended by itself and what it left behind is stopped.
#
# Two variables for each process id: start_PID, when the process that was last seen under it had started, and
# known_PID, when the one that belongs to the command had. A process id that was used again differs in the two.

# Only KILL ends the watchdog: what is meant for the command, or comes from its terminal, does not.
trap '' HUP INT QUIT TERM TSTP TTIN TTOU USR1 USR2
cd /
grace=$1 marker=${2:?}
echo | read -r -t 1 line || exit 3
proc= limit=
[ ! -r /proc/self/stat ] || proc=yes
# To read an environment can take for ever, if its process hangs in the kernel.
! command -v timeout >/dev/null || limit='timeout -s KILL 2'

# Sets $parent, $group, $session and $start of process $1. Fails if there is none, or only the remains of one.
look() {
  if [ -n "$proc" ]; then
    line=
    while read -r rest; do line=$rest; done <"/proc/$1/stat" # a name may hold line ends: the last line counts
    set -- ${line##*) }                                      # and anything else: state parent group session …
    [ $# -ge 20 ] || return 1
    parent=$2 group=$3 session=$4 state=$1
    shift 19
    start=$1
  else
    set -- $(LC_ALL=C ps -p "$1" -o ppid= -o pgid= -o stat= -o lstart=)
    [ $# -ge 8 ] || return 1
    parent=$1 group=$2 session=$2 state=$3 start=$4$5$6$7$8
  fi
  case $state in [ZX]*) return 1 ;; esac
} 2>/dev/null

# Whether process id $1 belongs to the command, or did so when it was last used.
is_ours() {
  eval "[ \"\${known_$1-}\" = \"\${start_$1-none}\" ]"
}

# Sets $alive to the command and everything that comes from it, and $groups to their process groups: what has the
# marker, even if it left the session of the command and its parent is gone; descendants; and all whose group or
# session one of these leads, since some programs (timeout is one) give their children another group.
scan() {
  rows=
  if [ -n "$proc" ]; then
    for file in /proc/[0-9]*; do
      pid=${file#/proc/}
      look "$pid" || continue
      eval "start_$pid=\$start"
      rows="$rows $pid:$parent:$group:$session"
    done
    # After the times of start: a process that still has its own when it gets a signal is the one that was marked.
    for file in $($limit grep -lsF -e "$marker" /proc/[0-9]*/environ); do
      file=${file%/environ}
      pid=${file#/proc/}
      eval "known_$pid=\${start_$pid-}"
    done
  else
    set -- $(LC_ALL=C ps -A -o pid= -o ppid= -o pgid= -o stat= -o lstart=)
    while [ $# -ge 9 ]; do
      case $4 in
        Z*) ;;
        *)
          eval "start_$1=\$5\$6\$7\$8\$9"
          rows="$rows $1:$2:$3:$3"
          ;;
      esac
      shift 9
    done
  fi
  grown=yes
  while [ -n "$grown" ]; do
    grown= alive= groups=' '
    for row in $rows; do
      pid=${row%%:*} session=${row##*:} row=${row#*:} parent=${row%%:*} row=${row#*:} group=${row%%:*}
      if is_ours "$pid"; then
        alive="$alive $pid"
        case $groups in *" -$group "*) continue ;; esac
        ! is_ours "$group" || groups="$groups-$group "
      elif is_ours "$parent" || is_ours "$group" || is_ours "$session"; then
        eval "known_$pid=\$start_$pid"
        grown=yes
      fi
    done
  done
}

# Sends signal $1 to each process that the last scan found, unless its process id is another's by now.
send() {
  for pid in $alive; do
    if look "$pid" && eval "[ \"\$start\" = \"\$known_$pid\" ]"; then
      kill -s "$1" "$pid"
    fi
  done
} 2>/dev/null

# Stops everything: gently first, unless told otherwise.
stop() {
  scan
  status=0
  case "$1$alive " in gently*" $root "*) status=76 ;; esac
  if [ "$1" = gently ] && [ -n "$alive" ]; then
    send TERM
    send CONT # a stopped process cannot act on TERM
    sleep "$grace" &
    while scan && [ -n "$alive" ] && kill -0 $!; do
      sleep 0.05
    done
    kill -s KILL $!
  fi
  # One look is not enough: a process has no marker for a moment while it becomes another program, and one that was
  # started after the list was made is not in it.
  rounds=0 quiet=0
  while [ $quiet -lt 2 ]; do
    rounds=$((rounds + 1))
    [ $rounds -le 150 ] || exit 77
    if [ -n "$alive" ]; then
      quiet=0
      kill -s KILL -- $groups # in one step, so that no fork slips through
      send KILL
    else
      quiet=$((quiet + 1))
      sleep 0.02
    fi
    scan
  done
  exit $status
} 2>/dev/null

read -r root || exit 0
start=gone
look "$root"
eval "start_$root=\$start known_$root=\$start"
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
    send "$signal"
  fi
done
stop gently
