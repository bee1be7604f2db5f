#!/usr/bin/env bash
# Proves that the guards of the build are on: each folder of src breaks one rule, and its build must fail
# and name that rule. The folder "clean" breaks none and must pass. Logs: target/NAME.log.
set -u
cd "$(dirname "$0")" || exit 1

# guard, and what the failed build must say
guards=(
  'formatting  |had format violations'
  'error-prone |\[DeadException\]'
  'nullaway    |\[NullAway\]'
  'warnings    |warnings found and -Werror'
  'javadoc     |DeadLink.java.* reference not found'
)

build() {
  mvn -q -B -ntp -Dguard="$1" -Dholdfast.target="target/$1" process-test-classes >"target/$1.log" 2>&1
}

rm -rf target
mkdir target
status=0
if ! build clean; then
  echo "  clean: fails without breaking a rule, see build/guards/target/clean.log"
  exit 1
fi
for entry in "${guards[@]}"; do
  guard=${entry%%[ |]*} expected=${entry#*|}
  if build "$guard"; then
    echo "  $guard: OFF, the build passes"
    status=1
  elif ! grep -q -- "$expected" "target/$guard.log"; then
    echo "  $guard: fails for another reason, see build/guards/target/$guard.log"
    status=1
  else
    echo "  $guard: on"
  fi
done
exit "$status"
