#!/usr/bin/env bash
# The tests on real clusters, after installing what they need. Where those of a cluster cannot run, says why; where none
# can, exits with 0.
#
#   run.sh [ARGUMENTS]    arguments are passed on to vitest
#   run.sh reason         installs as well; says why none of them can run, and nothing if some can
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

reasons=()
runnable=()
for cluster in slurm:slurm-cluster htcondor:condor-pool; do
  reason=$(bash "test/clusters/${cluster#*:}.sh" reason)
  if [ -z "$reason" ] && ! bash "test/clusters/${cluster#*:}.sh" install >&2; then
    reason='its packages cannot be installed'
  fi
  if [ -z "$reason" ]; then runnable+=("$cluster"); else reasons+=("${cluster%:*}: $reason"); fi
done
if [ "${1:-}" = reason ]; then
  if [ "${#runnable[@]}" = 0 ]; then (IFS=';' && echo "${reasons[*]}"); fi
  exit 0
fi
for reason in "${reasons[@]}"; do echo "skipped: the tests on real clusters (test/clusters): $reason"; done
if [ "${#runnable[@]}" = 0 ]; then exit 0; fi
excluded=()
for cluster in slurm htcondor; do
  if [[ " ${runnable[*]}" != *" $cluster:"* ]]; then excluded+=(--exclude "test/clusters/$cluster-*.test.ts"); fi
done
if [ "${#runnable[@]}" -lt 2 ]; then excluded+=(--exclude test/clusters/three-executors.test.ts); fi
exec npx vitest run --config vitest.clusters.config.ts "${excluded[@]}" "$@"
