# Shared by the scripts beside it: where things are, headed steps, and a server to test against.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
contract=$root/tests/contract
target=${CARGO_TARGET_DIR:-$root/target}
terse=$target/release/terse
tools=$root/target/tools
python=$tools/python/bin/python

cd "$root" || exit
# There only where the machine's own Node.js is missing or too old.
[[ -d $tools/node/bin ]] && PATH=$tools/node/bin:$PATH
# Settings of whoever runs this are not to reach the servers and commands started here.
unset "${!TERSE_@}"
# Nothing is written beside the sources, and no tool asks for news of itself.
export PYTHONDONTWRITEBYTECODE=1 REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
# The servers are on loopback, whatever proxy there is.
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# step HEADING COMMAND...: runs the command under a heading and says how long it took.
step() {
  local heading=$1 started=$SECONDS
  shift
  printf '\n== %s\n' "$heading"
  "$@" || fail "failed: $heading"
  printf -- '-- %s: %d s\n' "$heading" $((SECONDS - started))
}

# want_long ARGUMENT...: whether the arguments are --long; anything else is wrong usage.
want_long() {
  case $# in
    0) return 1 ;;
    1) [[ $1 == --long ]] && return 0 ;;
  esac
  printf 'usage: %s [--long]\n' "${0##*/}" >&2
  exit 2
}

# build: the program as its tests have it built. On its own it would be compiled once more, with the
# fewer features of its dependencies that it needs itself.
build() {
  cargo test --release --workspace --locked --no-run --quiet
}

# start_server STORE: serves a new database on a free port of loopback, an SQLite one unless STORE
# is `postgres`. Sets `work`, a directory that goes with the server, `base_url`, and `database_url`.
start_server() {
  work=$(mktemp -d)
  trap abandon_server EXIT
  database_url="sqlite://$work/terse.db?mode=rwc"
  [[ $1 != postgres ]] || start_postgres
  : >"$work/log"
  "$terse" serve --listen 127.0.0.1:0 --database-url "$database_url" \
    >"$work/stdout" 2>>"$work/log" &
  server_pid=$!

  local deadline=$((SECONDS + 30))
  until base_url=$(listening_url) && [[ $base_url ]]; do
    kill -0 "$server_pid" 2>/dev/null || fail "the server did not start: $(cat "$work/log")"
    ((SECONDS < deadline)) || fail "the server did not listen within 30 s: $(cat "$work/log")"
    sleep 0.1
  done
}

# start_postgres: a PostgreSQL that listens in a directory beside `work` and nowhere else. Sets
# `cluster`, that directory, and `database_url`.
start_postgres() {
  local programs
  programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort --version-sort | tail -1)
  [[ -x $programs/initdb ]] || programs=$(dirname "$(command -v initdb)")
  cluster=$(mktemp -d)
  pg_ctl=("$programs/pg_ctl" --silent --pgdata "$cluster/data")
  # It does not run as root.
  if ((EUID == 0)); then
    chown postgres: "$cluster"
    pg_ctl=(setpriv --reuid=postgres --regid=postgres --init-groups "${pg_ctl[@]}")
  fi
  (
    cd "$cluster" || exit
    "${pg_ctl[@]}" initdb --options '--username=terse --auth=trust --encoding=UTF8 --no-sync'
    "${pg_ctl[@]}" start --log "$cluster/log" --options "-c listen_addresses= -k '$cluster'"
  ) >/dev/null
  database_url="postgres://terse@localhost/postgres?host=$cluster"
}

stop_postgres() {
  [[ ${cluster:-} ]] || return 0
  (cd / && "${pg_ctl[@]}" stop --mode immediate) >/dev/null 2>&1 || true
  rm -rf "$cluster"
  cluster=
}

listening_url() {
  sed -n '/"message":"listening"/s/.*"url":"\([^"]*\)".*/\1/p' "$work/log"
}

# add_owner NAME: an owner without limits; prints the key.
add_owner() {
  "$terse" owner add "$1" --plan unlimited --database-url "$database_url"
}

# stop_server: asks the server to end, and expects exit status 0 and no error in its log.
stop_server() {
  local pid=$server_pid status=0 deadline=$((SECONDS + 30))
  kill -TERM "$pid"
  while kill -0 "$pid" 2>/dev/null; do
    ((SECONDS < deadline)) || fail "the server did not end within 30 s of SIGTERM"
    sleep 0.1
  done
  wait "$pid" || status=$?
  server_pid=
  ((status == 0)) || fail "the server ended with status $status: $(tail -n 5 "$work/log")"
  if grep '"level":"ERROR"' "$work/log" >&2; then
    fail 'the server logged the errors above'
  fi
}

# What remains to be done however the script ends.
abandon_server() {
  if [[ ${server_pid:-} ]]; then
    grep '"level":"ERROR"' "$work/log" >&2 || true
    kill -KILL "$server_pid" 2>/dev/null || true
    # Reaped here, so that the shell does not announce it.
    wait "$server_pid" 2>/dev/null || true
  fi
  stop_postgres
  rm -rf "$work"
}
