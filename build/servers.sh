# shellcheck shell=bash disable=SC2154
# Sourced by ./test: gets the real servers that the tests of some modules start. What Maven carries (PostgreSQL,
# MySQL, ZooKeeper) needs nothing here but the libraries it is linked with. Needs build/lib.sh and $me.

# Where what belongs to no package is kept; holdfast-servers looks here, too.
servers_cache=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/servers

# Which servers the tests of module $1 start: each store names its own in its POM, and others may need any of them.
servers_of() {
  case ${1%/} in
    stores/* | */stores/*) declared_servers "$1/pom.xml" ;;
    *holdfast-core | *holdfast-testkit | *holdfast-http | *holdfast-bom) ;;
    *) declared_servers stores/*/pom.xml ;;
  esac
}

declared_servers() {
  sed -n 's|.*<holdfast.servers>\(.*\)</holdfast.servers>.*|\1|p' "$@"
}

has_program() {
  PATH=$PATH:/usr/sbin:/usr/local/sbin:$servers_cache/bin command -v "$1" >/dev/null
}

has_library() {
  PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q "\\b$1 "
}

# Prints the Debian packages that server $1 lacks on this machine. A URL in the environment replaces a server.
packages_of() {
  local url=HOLDFAST_TEST_${1^^}_URL
  [ -z "${!url:-}" ] || return 0
  case $1 in
    postgresql) has_program postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || has_program xz || echo xz-utils ;;
    mysql)
      has_library libaio.so.1 || echo libaio1
      has_library libnuma.so.1 || echo libnuma1
      ;;
    mariadb) has_program mariadbd || echo mariadb-server-core mariadb-client-core ;;
    redis)
      has_program redis-server || echo redis-server
      has_program cc || echo gcc libc6-dev # for a clock that a test can set
      ;;
    etcd) has_program etcd || echo etcd-server ;;
    consul | valkey) ;; # fetched below
    *) has_program "$1" || echo "$1" ;;
  esac
}

# Leaves the programs of packages $3… from Debian's suite $1 in folder $2, without installing them: apt keeps its state
# in a separate directory and reads the machine's own sources with only the suite changed; signatures are checked as
# ever.
fetch_from_suite() (
  suite=$1 folder=$2
  shift 2
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
  { chmod 755 "$work" && chown _apt "$work"; } 2>/dev/null # for root, apt downloads as this user
  other_suite "$suite" >"$work/sources.list" && [ -s "$work/sources.list" ] || return 1
  apt=(apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State="$work/state"
    -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$work/cache")
  cd "$work" && "${apt[@]}" update && "${apt[@]}" download "$@" || return 1
  for package in ./*.deb; do
    dpkg-deb -x "$package" root || return 1
  done
  mkdir -p "$folder" && cp -a root/usr/bin/. "$folder/"
) >&2

# Prints the machine's Debian sources for suite $1, as one-line entries: the first that carries the release's main
# suite, whether it is written as a stanza or as a line.
other_suite() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  find /etc/apt \( -name '*.sources' -o -name '*.list' \) -exec \
    awk -v codename="$codename" -v suite="$1" '
      function stanza() {
        if (uri != "" && index(" " suites " ", " " codename " "))
          found(signed == "" ? "" : "[signed-by=" signed "] ", uri)
        uri = suites = signed = ""
      }
      function found(options, from) {
        if (!done++) print "deb " options from " " suite " main"
      }
      FNR == 1 { stanza() }
      /^#/ { next }
      /^URIs:/ { uri = $2 }
      /^Suites:/ { $1 = ""; suites = $0 }
      /^Signed-By:/ { signed = $2 }
      /^[ \t]*$/ { stanza() }
      $1 == "deb" {
        options = ""
        i = 2
        if ($2 ~ /^\[/) { do options = options $i " "; while ($(i++) !~ /\]$/) }
        if ($(i + 1) == codename) found(options, $i)
      }
      END { stanza() }' {} +
}

# Gets the servers for the tests of these modules. Never fails: what cannot be had is said here, and its tests are
# listed as not run.
need_servers() {
  local module server servers=() packages=()
  for module in "$@"; do
    for server in $(servers_of "$module"); do
      [[ " ${servers[*]} " == *" $server "* ]] || servers+=("$server")
    done
  done
  for server in "${servers[@]}"; do
    # shellcheck disable=SC2207 # package names have no spaces
    packages+=($(packages_of "$server"))
  done
  if [ ${#packages[@]} -gt 0 ]; then
    if may_install; then
      apt_install "${packages[@]}" || say "could not install: ${packages[*]}"
    else
      say "without these packages (names as in Debian) some tests are not run: ${packages[*]}"
      say "to install them: sudo apt-get install --no-install-recommends ${packages[*]}"
    fi
  fi
  for server in "${servers[@]}"; do
    case $server in
      etcd) fetch_etcd_35 ;;
      consul) fetch_server consul bullseye consul consul ;;
      valkey) fetch_server valkey bookworm-backports valkey-server valkey-server valkey-tools ;;
    esac
  done
}

# Fetches server $1 from Debian's suite $2: program $3, packages $4…, unless it is there or replaced by a URL.
fetch_server() {
  local url=HOLDFAST_TEST_${1^^}_URL suite=$2 program=$3
  if [ -n "${!url:-}" ] || has_program "$program"; then
    return
  fi
  shift 3
  if [ -e /etc/debian_version ] && command -v apt-get >/dev/null; then
    say "fetching $program from Debian's $suite into $servers_cache"
    fetch_from_suite "$suite" "$servers_cache/bin" "$@" && return
  fi
  say "without $program on the path some tests are not run"
}

# Debian 13 has etcd 3.5: beside the machine's own, under another name.
fetch_etcd_35() {
  if [ -n "${HOLDFAST_TEST_ETCD_URL:-}" ] || has_program etcd-3.5; then
    return
  fi
  if [ -e /etc/debian_version ] && command -v apt-get >/dev/null; then
    say "fetching etcd 3.5 from Debian's trixie into $servers_cache"
    fetch_from_suite trixie "$servers_cache/etcd-3.5" etcd-server && mkdir -p "$servers_cache/bin" &&
      ln -sf ../etcd-3.5/etcd "$servers_cache/bin/etcd-3.5" && return
  fi
  say "without etcd-3.5 on the path some tests are not run"
}
