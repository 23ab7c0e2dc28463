# Shared by the other scripts: paths, steps with headings, and servers to test against.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
contract=$root/tests/contract
target=${CARGO_TARGET_DIR:-$root/target}
terse=$target/release/terse
harness=$target/release/harness
tools=$root/target/tools
python=$tools/python/bin/python

cd "$root" || exit
# This directory exists only if the machine's own Node.js is missing or too old.
[[ -d $tools/node/bin ]] && PATH=$tools/node/bin:$PATH
# The caller's settings must not reach Terse. `with_server` sets variables for its function.
[[ ${1:-} == --call ]] || unset "${!TERSE_@}"
# The scripts write no caches into the source tree, and no tool looks for updates of itself.
export PYTHONDONTWRITEBYTECODE=1 REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
# The servers are on loopback, even if the machine has a proxy.
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# step HEADING COMMAND...: runs the command under a heading and prints its duration.
step() {
  local heading=$1 started=$SECONDS
  shift
  printf '\n== %s\n' "$heading"
  "$@" || fail "failed: $heading"
  printf -- '-- %s: %d s\n' "$heading" $((SECONDS - started))
}

# want_long ARGUMENT...: returns whether the argument is --long; any other argument is an error.
want_long() {
  case $# in
    0) return 1 ;;
    1) [[ $1 == --long ]] && return 0 ;;
  esac
  printf 'usage: %s [--long]\n' "${0##*/}" >&2
  exit 2
}

# The tested program is compiled without optimization, in a quarter of the time, and with the checks of
# a debug build. TEST_PROFILE=release tests it as users get it.
profile=()
if [[ ${TEST_PROFILE:-} != release ]]; then
  for setting in opt-level=0 debug-assertions=true overflow-checks=true; do
    profile+=(--config "profile.release.package.terse.$setting")
  done
  # The tests do not measure with the library of the benchmarks.
  profile+=(--config profile.release.package.bench-common.opt-level=0)
  # Not in target/release, where somebody would take it for the program as users get it.
  terse=$target/checked/terse
fi
# Where the tests find the program.
export CARGO_BIN_EXE_terse=$terse

# build: compiles the programs with the features of their tests. Alone they would be compiled again,
# because their own dependencies need fewer features.
build() {
  cargo build --release --workspace --bins --test outside --test run --locked --quiet "${profile[@]}" || return
  local built=$target/release/terse
  [[ $terse != "$built" ]] || return 0
  mkdir -p "${terse%/*}"
  # Scripts that run at the same time may have moved it already. Cargo links what it did not compile.
  if [[ $built -ef $terse ]]; then
    rm --force "$built"
  elif [[ -e $built ]]; then
    mv --force "$built" "$terse" 2>/dev/null || [[ -x $terse ]]
  fi
}

# outside DATABASE OPTION...: runs the end-to-end tests.
outside() {
  TEST_STORE=$1 cargo test --release --workspace --locked --test outside --test run "${profile[@]}" "${@:2}"
}

# with_server [--postgres] FUNCTION ARGUMENT...: starts a server on a new database, by default on
# SQLite, calls a function of this script, and stops the server. The function is called in a new
# process and finds TERSE_URL, TERSE_DATABASE_URL, TERSE_KEY (a key without limits) and TERSE (the
# program). Fails if the server logs an error or does not end with status 0.
with_server() {
  local options=()
  [[ $1 == --postgres ]] && options=("$1") && shift
  "$harness" run "${options[@]}" -- "$root/scripts/${0##*/}" --call "$@"
}

# start ARGUMENT...: calls the function that `with_server` names, otherwise main.
start() {
  if [[ ${1:-} == --call ]]; then "${@:2}"; else main "$@"; fi
}
