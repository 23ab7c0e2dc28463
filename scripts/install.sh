# Shared by the scripts that install what is missing.
# shellcheck shell=bash
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# install_debian PACKAGE...
install_debian() {
  command -v apt-get >/dev/null || fail "what these Debian packages hold is missing: $*"
  local as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "$@"
}

# once NAME COMMAND FILE...: runs the command into an empty target/tools/NAME, unless that was made
# from the same files.
once() {
  local directory=$tools/$1 command=$2 stamp
  shift 2
  stamp=$(cat "$@" | sha256sum)
  [[ $(cat "$directory.stamp" 2>/dev/null) == "$stamp" ]] && return
  printf 'installing %s\n' "${directory#"$root/"}"
  rm -rf "$directory" "$directory.stamp"
  "$command" "$directory" "$@"
  printf '%s\n' "$stamp" >"$directory.stamp"
}

install_python_packages() {
  python3 -m venv "$1"
  "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement "$2"
}

install_npm_packages() {
  mkdir "$1"
  cp "${@:2}" "$1"
  (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
}
