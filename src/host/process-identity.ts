import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { WorkerIdentity } from '../contract/records/exchange.ts';

/** What a worker says of itself besides which process it is. */
type WorkerFacts = Partial<
  Pick<
    WorkerIdentity,
    | 'site'
    | 'labels'
    | 'kind'
    | 'cpus'
    | 'memory_bytes'
    | 'gpus'
    | 'nodes'
    | 'max_parallel'
    | 'time_left_ms'
    | 'allocation'
    | 'lease_ms'
    | 'directory'
  >
>;

/** Which process it is, so that another one can check later whether it still lives. */
export type ProcessIdentity = Pick<WorkerIdentity, 'host' | 'boot_id' | 'pid' | 'start_time'>;

export function processIdentity(pid = process.pid): ProcessIdentity {
  return { host: hostname(), boot_id: bootId(), pid, start_time: processStartTime(pid) ?? '' };
}

/** Who this process is as a worker. */
export function ownIdentity(facts: WorkerFacts = {}): WorkerIdentity {
  return {
    ...processIdentity(),
    site: 'local',
    labels: [],
    kind: 'run',
    cpus: 0,
    memory_bytes: 0,
    gpus: 0,
    ...facts,
  };
}

/** True, false, or undefined for a process of another host, which cannot be asked. */
export function isProcessAlive(identity: ProcessIdentity): boolean | undefined {
  if (identity.host !== hostname()) return undefined;
  if (identity.boot_id !== bootId()) return false;
  return processStartTime(identity.pid) === identity.start_time;
}

let knownBootId: string | undefined;

function bootId(): string {
  knownBootId ??= readBootId();
  return knownBootId;
}

function readBootId(): string {
  if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return output('sysctl', '-n', 'kern.boottime');
}

/** Loaded where it is needed: commands that start no process are faster without it. */
function output(program: string, ...args: string[]): string {
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  return execFileSync(program, args, { encoding: 'utf8' }).trim();
}

/** A process id is reused; the id with its start time is not. Undefined if there is no such process, or only a zombie. */
function processStartTime(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    try {
      return output('ps', '-o', 'lstart=', '-p', String(pid)) || undefined;
    } catch {
      return undefined;
    }
  }
  try {
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
