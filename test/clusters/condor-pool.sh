#!/usr/bin/env bash
# A private pool of HTCondor on one machine, without systemd, root or packages of the system: the packages of Debian 13 are
# unpacked beside their own C library, so that the programs run on an older system, too. As root everything of the
# pool runs as `nobody`, because HTCondor runs no jobs of root.
#
#   condor-pool.sh reason              what keeps this machine from running it; nothing if it can
#   condor-pool.sh install             unpacks what is missing
#   condor-pool.sh up DIR PORT         starts the pool; all of its files are in DIR
#   condor-pool.sh down DIR            stops it and removes DIR
#   condor-pool.sh guard DIR           waits for the end of its standard input, then does as `down`
#   condor-pool.sh stop-schedd DIR     nobody answers about the queue any more; jobs continue
#   condor-pool.sh start-schedd DIR
#   condor-pool.sh kill-dagman DIR ID  its process alone, as if it had crashed: the schedd starts it again
#
# For `up`: SLOTS (default: 16), a quarter of them at the site north, the others at south. Commands are in DIR/bin.
# HTCONDOR_ROOT is where the packages are unpacked; DEBIAN_MIRROR is where they come from (default: as of the system).
set -euo pipefail
export LC_ALL=C PATH="/usr/sbin:/sbin:$PATH"

if [ "$(id -u)" = 0 ]; then
  root=${HTCONDOR_ROOT:-/var/cache/holdfast-htcondor}
  as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  owner=nobody:nogroup
else
  root=${HTCONDOR_ROOT:-$HOME/.cache/holdfast-htcondor}
  as_user=()
  owner=$(id -u):$(id -g)
fi
packages=(condor patchelf libc6 libgcc-s1 libstdc++6 libgomp1 libssl3t64 libuuid1 libpcre2-8-0 libzstd1 zlib1g libexpat1
  libsqlite3-0)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

reason() {
  if [ "$(uname -sm)" != 'Linux x86_64' ]; then echo 'it needs Linux on x86_64'; return; fi
  local program
  for program in apt-get dpkg-deb setpriv; do
    if ! command -v "$program" >/dev/null; then echo "$program is missing"; return; fi
  done
  if ! [ -e "$root/.complete" ] && ! [ -e "$keyring" ]; then echo "$keyring is missing"; return; fi
  # DAGMan calls `holdfast post`.
  if ! "${as_user[@]}" test -r bin/holdfast.js -a -x "$(command -v node)"; then
    echo 'the pool runs as nobody, who cannot read this directory or run node'
  fi
}

mirror() {
  echo "${DEBIAN_MIRROR:-$(apt-get indextargets --format "\$(REPO_URI)" | grep -m1 /debian/)}"
}

unpack() {
  if [ -e "$root/.complete" ]; then return; fi
  local apt=$root/apt file
  rm -rf "$root"
  mkdir -p "$apt"/{lists/partial,cache/archives/partial} "$root/debs"
  : >"$apt/status"
  echo "deb [signed-by=$keyring] $(mirror) trixie main" >"$apt/sources.list"
  local options=(-qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$apt/lists"
    -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o Acquire::Languages=none -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  (cd "$root/debs" && apt-get "${options[@]}" download "${packages[@]}")
  for file in "$root"/debs/*.deb; do dpkg-deb -x "$file" "$root"; done
  rm -rf "$apt" "$root/debs"
  use_own_library
  touch "$root/.complete"
}

# Every program knows where its interpreter and libraries are.
use_own_library() {
  local libraries=$root/usr/lib:$root/usr/lib/x86_64-linux-gnu loader=$root/usr/lib64/ld-linux-x86-64.so.2 file
  patch() { "$loader" --library-path "$libraries" "$root/usr/bin/patchelf" "$@"; }
  for file in "$root"/usr/{bin,sbin}/condor_* "$root"/usr/bin/classad_* "$root"/usr/libexec/condor/* "$root"/usr/lib/lib*.so*; do
    if ! [ -f "$file" ] || [ -L "$file" ] || [ "$(head -c 4 "$file" | tail -c 3)" != ELF ]; then continue; fi
    if patch --print-interpreter "$file" >/dev/null 2>&1; then patch --set-interpreter "$loader" "$file"; fi
    patch --force-rpath --set-rpath "$libraries" "$file"
  done
}

# A zombie is dead, and a process that has another one's id is not ours.
is_live() { case "$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)" in '' | Z* | X*) return 1 ;; esac; }
is_ours() { is_live "$1" && grep -aqF "CONDOR_CONFIG=$dir/etc/condor_config" "/proc/$1/environ" 2>/dev/null; }

configure() {
  local port=$1 slots=${SLOTS:-16} slot
  mkdir -p "$dir"/{etc,log,spool,execute,lock,run,bin,w}
  chmod 755 "$dir"
  chmod 1777 "$dir/w"
  chown "$owner" "$dir" "$dir"/{log,spool,execute,lock,run}
  cat >"$dir/etc/condor_config" <<CONF
RELEASE_DIR = $root/usr
BIN = $root/usr/bin
SBIN = $root/usr/sbin
LIB = $root/usr/lib/condor
LIBEXEC = $root/usr/libexec/condor
SHARE = $root/usr/share/condor
LOCAL_DIR = $dir
ETC = $dir/etc
LOG = $dir/log
SPOOL = $dir/spool
EXECUTE = $dir/execute
LOCK = $dir/lock
RUN = $dir/run
LOCAL_CONFIG_DIR =
LOCAL_CONFIG_FILE =
DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR SCHEDD STARTD
CONDOR_HOST = 127.0.0.1
FULL_HOSTNAME = localhost
NETWORK_INTERFACE = 127.0.0.1
BIND_ALL_INTERFACES = false
ENABLE_IPV6 = false
UID_DOMAIN = localhost
FILESYSTEM_DOMAIN = localhost
TRUST_UID_DOMAIN = true
USE_SHARED_PORT = true
SHARED_PORT_PORT = $port
COLLECTOR_HOST = 127.0.0.1:$port
SEC_DEFAULT_AUTHENTICATION = OPTIONAL
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_CLIENT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_DEFAULT_ENCRYPTION = NEVER
SEC_DEFAULT_INTEGRITY = NEVER
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_ADMINISTRATOR = *
ALLOW_DAEMON = *
ALLOW_NEGOTIATOR = *
# More slots than this machine has processors.
NUM_CPUS = $slots
MEMORY = $((slots * 512))
SLOT_TYPE_1 = cpus=1
NUM_SLOTS_TYPE_1 = $slots
SLOT_TYPE_1_PARTITIONABLE = false
NUM_SLOTS = $slots
START = true
SUSPEND = false
PREEMPT = false
KILL = false
WANT_SUSPEND = false
WANT_VACATE = false
RunBenchmarks = false
STARTD_CRON_JOBLIST =
STARTD_DETECT_GPUS = false
STARTD_ATTRS = \$(STARTD_ATTRS), GLIDEIN_Site
GLIDEIN_Site = "south"
# Everything at once instead of once a minute.
NEGOTIATOR_INTERVAL = 1
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
SCHEDD_INTERVAL = 1
SCHEDD_MIN_INTERVAL = 1
SCHEDD_INTERVAL_TIMESLICE = 0.5
PERIODIC_EXPR_INTERVAL = 2
UPDATE_INTERVAL = 5
POLLING_INTERVAL = 1
JOB_START_DELAY = 0
JOB_STOP_DELAY = 0
STARTER_INITIAL_UPDATE_INTERVAL = 1
MASTER_BACKOFF_CONSTANT = 1
# With 0 DAGMan would never look again.
DAGMAN_USER_LOG_SCAN_INTERVAL = 1
DAGMAN_SUBMIT_DELAY = 0
DAGMAN_MAX_SUBMITS_PER_INTERVAL = 1000
DAGMAN_PENDING_REPORT_INTERVAL = 5
DAGMAN_QUEUE_UPDATE_INTERVAL = 2
CONF
  for slot in $(seq $((slots / 4))); do
    echo "SLOT${slot}_GLIDEIN_Site = \"north\"" >>"$dir/etc/condor_config"
  done
}

# Commands that need no environment. The real ones come first on PATH: condor_submit_dag calls condor_submit by name.
write_commands() {
  local file
  for file in "$root"/usr/bin/condor_* "$root"/usr/sbin/condor_{master,off,on}; do
    printf '#!/bin/sh\nexec %s env CONDOR_CONFIG=%s HOME=%s PATH=%s:"$PATH" %s "$@"\n' "${as_user[*]}" \
      "$dir/etc/condor_config" "$dir" "$root/usr/bin:$root/usr/sbin" "$file" >"$dir/bin/${file##*/}"
    chmod 755 "$dir/bin/${file##*/}"
  done
}

is_up() {
  [ "$("$dir/bin/condor_status" -af Name 2>/dev/null | wc -l)" = "${SLOTS:-16}" ] && "$dir/bin/condor_q" >/dev/null 2>&1
}

# await SECONDS COMMAND...
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "in vain: $*" >&2
      tail -n 5 "$dir"/log/*Log >&2 || true
      return 1
    fi
    sleep 0.1
  done
}

up() {
  configure "$1"
  write_commands
  (cd / && "$dir/bin/condor_master" -pidfile "$dir/run/master.pid")
  await 60 is_up
}

down() {
  if ! [ -d "$dir" ]; then return; fi
  local pid end=$((SECONDS + 20)) process
  if [ -s "$dir/run/master.pid" ]; then
    pid=$(cat "$dir/run/master.pid")
    # QUIT is a fast end: jobs are killed.
    if is_ours "$pid"; then kill -QUIT "$pid" 2>/dev/null || true; fi
    while is_ours "$pid" && [ "$SECONDS" -lt "$end" ]; do sleep 0.1; done
  fi
  # What is left of it, as after a crash of the master.
  for process in $(grep -alF "CONDOR_CONFIG=$dir/etc/condor_config" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
    if [ "$process" != "$$" ] && is_ours "$process"; then kill -KILL "$process" 2>/dev/null || true; fi
  done
  rm -rf "$dir"
}

kill_dagman() {
  local process killed=1
  for process in $(grep -alF "CONDOR_CONFIG=$dir/etc/condor_config" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
    if grep -aq "^condor_scheduniv_exec\.$1\." "/proc/$process/cmdline" 2>/dev/null; then
      kill -KILL "$process" && killed=0
    fi
  done
  return "$killed"
}

order=${1:?what to do}
dir=${2:-}
case "$order" in
  reason) reason ;;
  install) unpack ;;
  up) up "${3:?a free port}" ;;
  down) down ;;
  guard)
    trap '' INT TERM HUP
    cat >/dev/null
    down
    ;;
  kill-dagman) kill_dagman "${3:?its cluster}" ;;
  stop-schedd) "$dir/bin/condor_off" -fast -schedd >/dev/null ;;
  start-schedd) "$dir/bin/condor_on" -schedd >/dev/null && await 30 "$dir/bin/condor_q" ;;
  *) echo "no such order: $order" >&2 && exit 2 ;;
esac
