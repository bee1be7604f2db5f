# shellcheck shell=bash disable=SC2154
# Sourced by ./test: gets the real servers that the tests of some modules start. What Maven carries (PostgreSQL,
# MySQL, ZooKeeper) needs nothing here but the libraries it is linked with. Needs build/lib.sh and $me.

# Where what belongs to no package is kept; holdfast-servers looks here, too.
servers_cache=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/servers

# Which servers the tests of module $1 start.
servers_of() {
  case ${1##*/} in
    holdfast-jdbc) echo postgresql mysql mariadb ;;
    holdfast-redis) echo redis valkey ;;
    holdfast-memcached) echo memcached ;;
    holdfast-etcd) echo etcd ;;
    holdfast-consul) echo consul ;;
    holdfast-core | holdfast-testkit | holdfast-bom | holdfast-zookeeper) ;;
    *) echo postgresql mysql mariadb redis valkey memcached etcd consul ;;
  esac
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
    redis) has_program redis-server || echo redis-server ;;
    memcached) has_program memcached || echo memcached ;;
    etcd) has_program etcd || echo etcd-server ;;
  esac
}

# Leaves program $3 of package $1 from Debian's suite $2 in the cache, without installing it: apt works in a directory
# of its own, on the machine's own sources with only the suite changed, and checks signatures as ever.
fetch_from_suite() (
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/etc/apt/preferences.d" "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
  chmod 755 "$work" # apt's downloads run as a user of their own
  main=$(other_suite "$2") && [ -n "$main" ] || return 1
  printf '%s\n' "$main" >"$work/etc/apt/sources.list"
  cp -R /etc/apt/trusted.gpg* /etc/apt/auth.conf* "$work/etc/apt/" 2>/dev/null || :
  apt=(-qq -o Dir::Etc="$work/etc/apt" -o Dir::State="$work/state" -o Dir::Cache="$work/cache"
    -o Dir::State::status=/var/lib/dpkg/status -o Acquire::Check-Valid-Until=false)
  cd "$work" && apt-get "${apt[@]}" update && apt-get "${apt[@]}" download "$1" && dpkg-deb -x "$1"_*.deb root || return 1
  mkdir -p "$servers_cache/bin" && cp "root/usr/bin/$3" "$servers_cache/bin/$3.new" && mv "$servers_cache/bin/$3.new" "$servers_cache/bin/$3"
) >&2

# Prints the machine's Debian sources for suite $1, as one-line entries: the first that carries the release's main
# suite, whether it is written as a stanza or as a line.
other_suite() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    awk -v codename="$codename" -v suite="$1" '
      function stanza() {
        if (uri != "" && index(" " suites " ", " " codename " "))
          found(signed == "" ? "" : "[signed-by=" signed "] ", uri)
        uri = suites = signed = ""
      }
      function found(options, from) {
        if (!done++) print "deb " options from " " suite " main"
      }
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
      END { stanza() }'
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
      consul) fetch_server consul consul bullseye ;;
      valkey) fetch_server valkey valkey-server bookworm-backports ;;
    esac
  done
}

# Fetches server $1, program $2, from suite $3, unless it is there or replaced by a URL.
fetch_server() {
  local url=HOLDFAST_TEST_${1^^}_URL
  if [ -n "${!url:-}" ] || has_program "$2"; then
    return
  fi
  if [ -e /etc/debian_version ] && command -v apt-get >/dev/null; then
    say "fetching $2 from Debian's $3 into $servers_cache"
    fetch_from_suite "$1" "$3" "$2" && return
  fi
  say "without $2 on the path some tests are not run"
}
