# Installs the Debian packages of a group when one is missing; sourced by ./dev. No network and no
# root are asked for while everything is there.
# shellcheck shell=bash

# NAME, or NAME=COMMAND where the command on PATH will do wherever it came from.
packages_of() {
  case $1 in
    build) echo clang-19 lld-19 cmake ninja-build ccache pkg-config git=git tzdata \
      libboost1.81-dev libboost-url1.81-dev libssl-dev zlib1g-dev libsimdjson-dev \
      nlohmann-json3-dev libyaml-cpp-dev libcjose-dev libjansson-dev libfmt-dev libspdlog-dev \
      libcli11-dev libhowardhinnant-date-dev libxxhash-dev ;;
    test) echo libgtest-dev libbenchmark-dev python3 python3-venv python3-pip nodejs=node npm=npm \
      prometheus=promtool apache2-utils=ab curl=curl openssl=openssl ca-certificates ;;
    demo) echo nodejs=node npm=npm curl=curl openssl=openssl ca-certificates ;;
    bench) echo libgtest-dev libbenchmark-dev python3 nginx-light=nginx haproxy=haproxy wrk=wrk \
      curl=curl \
      procps=ps ;;
    lint) echo clang-format-19 clang-tidy-19 libgtest-dev libbenchmark-dev python3 pyflakes3 \
      shellcheck ;;
    sanitize) echo libclang-rt-19-dev llvm-19 ;;
    *) die "no package group $1" ;;
  esac
}

missing_packages() {
  local group spec name
  for group in "$@"; do
    for spec in $(packages_of "$group"); do
      name=${spec%%=*}
      if [[ $spec == *=* ]] && command -v "${spec#*=}" >/dev/null; then continue; fi
      [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] ||
        echo "$name"
    done
  done | sort -u
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "installing packages needs root: run as root, install sudo, or install yourself: $*"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -qq -y \
    --no-install-recommends install "$@" </dev/null
}

# Packages such as nginx start a service when installed and at every boot; weir's tests want only
# the programs. A policy-rc.d that says no prevents the first, disabling the second.
without_services() {
  local policy=/usr/sbin/policy-rc.d status=0 name ours=no
  if [[ ! -e $policy ]]; then
    ours=yes
    trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
    as_root chmod 755 $policy
  fi
  install_packages "$@" || status=$?
  if [[ $ours == yes ]]; then
    as_root rm -f $policy
    trap - EXIT
  fi
  for name in prometheus prometheus-node-exporter nginx haproxy; do
    [[ -d /run/systemd/system && " $* " == *" $name"* ]] || continue
    as_root systemctl disable --quiet "$name" || true
  done
  return $status
}

install_packages() {
  local names=("$@") log=build/log/apt.log
  mkdir -p build/log
  apt_install "${names[@]}" >"$log" 2>&1 && return
  step "refreshing the package lists"
  as_root apt-get -qq update </dev/null >>"$log" 2>&1 ||
    die "apt-get update failed: is there a network? See $log"
  apt_install "${names[@]}" >>"$log" 2>&1 || { tail -5 "$log" >&2; die "apt-get failed; see $log"; }
}

# need GROUP...: makes sure of the packages of these groups.
need() {
  local missing
  command -v dpkg-query >/dev/null ||
    die "this is not Debian: install by hand what tools/dev/install.sh lists, or use Debian 12"
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} == 0 ]] && return
  step "installing ${missing[*]}"
  without_services "${missing[@]}"
}
