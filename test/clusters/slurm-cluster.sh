#!/usr/bin/env bash
# A private Slurm with several nodes on one machine, without systemd. All of its files, keys and sockets are in one
# directory; its daemons listen on the loopback, where the name of the machine leads there.
#
#   slurm-cluster.sh reason                what keeps this machine from running it; nothing if it can
#   slurm-cluster.sh install               installs packages that are missing (Debian, as root)
#   slurm-cluster.sh up DIR PORT           starts what is not running; PORT and the ports after it have to be free
#   slurm-cluster.sh down DIR              stops everything and removes DIR
#   slurm-cluster.sh guard DIR             waits for the end of its standard input, then does as `down`
#   slurm-cluster.sh kill-node DIR NODE    as if its power failed: slurmd and all jobs on it are gone
#   slurm-cluster.sh start-node DIR NODE
#   slurm-cluster.sh signal-node DIR NODE SIGNAL    to its slurmd alone: STOP cuts it off while its jobs continue
#   slurm-cluster.sh stop-controller DIR
#   slurm-cluster.sh start-controller DIR
#
# For `up`: NODES (default: 2), called n1, n2 …; CPUS (default: 4) and MEMORY in MB (default: 1000) of each; CGROUPS=1 for
# memory limits by control groups (version 1), which are called after the nodes: NAME (default: n) keeps clusters apart.
set -euo pipefail
export LC_ALL=C PATH="/usr/sbin:/sbin:$PATH"
packages=(slurm-wlm munge)

reason() {
  if [ "$(uname -s)" != Linux ]; then echo 'it needs Linux'; return; fi
  if [ "$(id -u)" != 0 ]; then echo 'it needs root: nodes are namespaces, and packages are installed'; return; fi
  if [ "${#missing[@]}" -gt 0 ] && ! command -v apt-get >/dev/null; then
    echo "${missing[*]} missing, and no apt-get"
    return
  fi
  if ! unshare --pid --fork --mount-proc true 2>/dev/null; then echo 'it needs namespaces, which this container forbids'; fi
}

find_missing() {
  missing=()
  local program
  for program in sbatch slurmctld slurmd munged; do command -v "$program" >/dev/null || missing+=("$program"); done
}

install_packages() {
  if [ "${#missing[@]}" = 0 ]; then return; fi
  export DEBIAN_FRONTEND=noninteractive
  # The packages would start a Slurm of their own.
  apt-get update -qq && RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "${packages[@]}"
}

# A zombie is dead, and a process that has another one's id is not ours.
is_live() { case "$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)" in '' | Z* | X*) return 1 ;; esac; }
is_ours() { is_live "$1" && grep -aqF "SLURM_CONF=$SLURM_CONF" "/proc/$1/environ" 2>/dev/null; }
runs() { [ -s "$dir/run/$1.pid" ] && is_ours "$(cat "$dir/run/$1.pid")"; }

# await SECONDS COMMAND...
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "in vain: $*" >&2
      tail -n 5 "$dir"/log/*.log >&2 || true
      return 1
    fi
    sleep 0.05
  done
}

configure() {
  local port=$1 host nodes=${NODES:-2} name=${NAME:-n} i
  host=$(hostname -s)
  mkdir -p "$dir"/{etc,run,log,state,spool,munge}
  chmod 755 "$dir" "$dir"/*
  chmod 700 "$dir/munge"
  head -c 1024 /dev/urandom >"$dir/munge/munge.key"
  chmod 400 "$dir/munge/munge.key"
  {
    cat <<CONF
ClusterName=holdfast
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A requeued job waits until its credential has expired (default: 2 minutes).
AuthInfo=socket=$dir/run/munge.sock,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd.%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.%n.log
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
# Nodes may have more processors than this machine.
SlurmdParameters=config_overrides
DefMemPerCPU=50
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1,sched_min_interval=0
SlurmctldTimeout=10
SlurmdTimeout=10
KillWait=2
CompleteWait=0
MessageTimeout=5
MinJobAge=300
# Jobs in \`high\` requeue jobs in \`low\`.
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
CONF
    if [ "${CGROUPS:-0}" = 1 ]; then
      echo ProctrackType=proctrack/cgroup
      echo TaskPlugin=task/cgroup
    else
      echo ProctrackType=proctrack/linuxproc
      echo TaskPlugin=task/none
    fi
    # Daemons listen where the name of this machine leads to. Elsewhere they would not be reached at the loopback.
    case "$(getent ahostsv4 "$host" | awk 'NR == 1 { print $1 }')" in
      127.*) echo CommunicationParameters=NoInAddrAny,NoCtldInAddrAny ;;
    esac
    for i in $(seq "$nodes"); do
      echo "NodeName=$name$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=${CPUS:-4} RealMemory=${MEMORY:-1000}"
    done
    echo "PartitionName=low Nodes=$name[1-$nodes] Default=YES MaxTime=INFINITE DefaultTime=10 PriorityTier=1"
    echo "PartitionName=high Nodes=$name[1-$nodes] MaxTime=2-00:00:00 DefaultTime=10 PriorityTier=10 PreemptMode=OFF"
  } >"$SLURM_CONF"
  cat >"$dir/etc/cgroup.conf" <<CONF
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainCores=no
ConstrainDevices=no
ConstrainRAMSpace=yes
AllowedSwapSpace=0
CONF
}

nodes() { sed -n 's/^NodeName=\([^ ]*\) .*/\1/p' "$SLURM_CONF"; }

start_munge() {
  if runs munged; then return; fi
  munged --key-file="$dir/munge/munge.key" --socket="$dir/run/munge.sock" --pid-file="$dir/run/munged.pid" \
    --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed" --num-threads=2
  await 5 test -S "$dir/run/munge.sock"
}

start_controller() {
  if ! runs slurmctld; then slurmctld; fi
  await 15 scontrol ping
}

# Each slurmd is the first process of a namespace: when that is killed, so is everything in it.
start_node() {
  if runs "node.$1"; then return; fi
  rm -f "$dir/run/slurmd.$1.pid"
  setsid unshare --pid --fork --mount-proc --kill-child=KILL slurmd -D -N "$1" </dev/null >"$dir/log/slurmd.$1.out" 2>&1 &
  echo $! >"$dir/run/node.$1.pid"
}

are_up() { [ "$(sinfo -h -N -p low -t idle,mixed,alloc -o %N | sort -u | wc -l)" = "$(nodes | wc -l)" ]; }

# stop NAME SIGNAL
stop() {
  local file=$dir/run/$1.pid pid end=$((SECONDS + 10))
  if ! [ -s "$file" ]; then return; fi
  pid=$(cat "$file")
  if is_ours "$pid"; then
    kill -"$2" "$pid" 2>/dev/null || true
    while is_live "$pid" && [ "$SECONDS" -lt "$end" ]; do sleep 0.05; done
    if is_live "$pid"; then kill -KILL "$pid" 2>/dev/null || true; fi
  fi
  rm -f "$file"
}

up() {
  if ! [ -s "$SLURM_CONF" ]; then configure "$1"; fi
  start_munge
  start_controller
  local node
  for node in $(nodes); do start_node "$node"; done
  await 30 are_up
}

down() {
  if ! [ -d "$dir" ]; then return; fi
  local node
  if [ -s "$SLURM_CONF" ]; then
    for node in $(nodes); do stop "node.$node" KILL; done
    stop slurmctld KILL
    stop munged TERM
    # Nodes that were killed leave their control groups behind.
    if grep -q proctrack/cgroup "$SLURM_CONF"; then
      for node in $(nodes); do
        find /sys/fs/cgroup/*/"slurm_$node" -depth -type d -exec rmdir {} + 2>/dev/null || true
      done
    fi
  fi
  rm -rf "$dir"
}

order=${1:?what to do}
dir=${2:-}
export SLURM_CONF=$dir/etc/slurm.conf
find_missing
case "$order" in
  reason) reason ;;
  install) install_packages ;;
  up) up "${3:?the first port}" ;;
  down) down ;;
  guard)
    trap '' INT TERM HUP
    cat >/dev/null
    down
    ;;
  kill-node) stop "node.$3" KILL ;;
  start-node) start_node "$3" ;;
  signal-node)
    pid=$(cat "$dir/run/node.$3.pid")
    kill -"$4" "$(tr -d ' ' <"/proc/$pid/task/$pid/children")"
    ;;
  stop-controller) stop slurmctld TERM ;;
  start-controller) start_controller ;;
  *) echo "no such order: $order" >&2 && exit 2 ;;
esac
