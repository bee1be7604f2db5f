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
  mvn -q -B -ntp -f ../../pom.xml -pl build/guards -Dguard="$1" -Dholdfast.target="target/$1" process-test-classes >"target/$1.log" 2>&1
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

# A library that holdfast-bom does not manage, and one in another version.
for part in com.example/stray@1.0 io.netty/netty-common@4.1.0.Final; do
  echo "{\"purl\": \"pkg:maven/$part\"}" >target/parts.json
  if java ../ManagedDependencies.java ../../holdfast-bom/pom.xml target/parts.json >target/parts.log; then
    echo "  managed-dependencies: OFF, $part passes"
    status=1
  else
    echo "  managed-dependencies: on ($(cut -c1-80 target/parts.log))"
  fi
done
exit "$status"
