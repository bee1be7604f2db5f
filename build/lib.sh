# shellcheck shell=sh disable=SC2154
# Shared by ./holdfast and ./test: finds Java and Maven, or says how to get them. POSIX sh, so that the
# launcher can use the fastest shell there is. The caller sets $me, the name its messages start with.

say() {
  printf '%s: %s\n' "$me" "$*" >&2
}

# Sets $major and $vm_build for the JDK in directory $1. Reads its release file: asking java takes longer
# than everything else the launcher does.
read_release() {
  major='' vm_build=''
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
  while read -r line; do
    case $line in
      JAVA_VERSION=*) major=${line#*\"} major=${major%%[!0-9]*} ;;
      JAVA_RUNTIME_VERSION=*) vm_build=${line#*\"} vm_build=${vm_build%\"} ;;
    esac
  done <"$1/release"
  [ -n "$major" ]
}

home_of_java_on_path() {
  java=$(command -v java) || return 0
  java=$(readlink -f "$java" 2>/dev/null) || return 0
  printf '%s\n' "${java%/bin/java}"
}

# Sets $jdk, $major and $vm_build to the first JDK of at least version $1: JAVA_HOME, the java on the path,
# then wherever systems keep theirs.
find_jdk() {
  for jdk in "${JAVA_HOME:-}" "$(home_of_java_on_path)" /usr/lib/jvm/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "${HOME:-}"/.sdkman/candidates/java/*; do
    if read_release "$jdk" && [ "$major" -ge "$1" ]; then
      return 0
    fi
  done
  jdk=''
  return 1
}

# Sets $maven to the version of the Maven on the path. Asks from /: it does not start in a directory that
# has been deleted, and that must not pass for "no Maven".
ask_maven() {
  maven=$(cd / && mvn -B -v 2>/dev/null | sed -n 's/.*Apache Maven \([0-9]*\.[0-9]*\).*/\1/p')
}

may_install() {
  [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null
}

# Installs Debian packages, and upgrades none. A package must not start its service on someone's machine,
# hence policy-rc.d.
apt_install() (
  say "installing with apt-get: $*"
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  {
    apt-get -q update && apt-get -q install -y --no-install-recommends --no-upgrade "$@"
  } >&2
)

# Leaves a JDK of at least 17 in $jdk and JAVA_HOME and a Maven of at least 3.8 on the path, or fails.
need_jdk_and_maven() {
  if may_install; then
    # Debian 13 has no JDK 17 any more, only newer ones.
    find_jdk 17 || apt_install openjdk-17-jdk-headless || apt_install default-jdk-headless || :
    command -v mvn >/dev/null || apt_install maven || :
  fi
  missing=''
  find_jdk 17 || missing='a JDK 17 or newer'
  export JAVA_HOME="$jdk"
  ask_maven
  case $maven in
    '' | [0-2].* | 3.[0-7]) missing=${missing:+$missing and }"Maven 3.8 or newer${maven:+ (this one is $maven)}" ;;
  esac
  [ -n "$missing" ] || return 0
  say "needs $missing. To get them:"
  cat >&2 <<'HELP'
  Debian, Ubuntu   sudo apt-get install openjdk-17-jdk-headless maven
  Fedora           sudo dnf install java-latest-openjdk-devel maven
  macOS            brew install openjdk maven   (and follow what brew says about linking openjdk)
HELP
  return 1
}
