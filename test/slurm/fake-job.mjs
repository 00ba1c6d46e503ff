// Runs one job of the fake Slurm as its controller and its node would: `fake-job.mjs STATE ID`. Whatever ends the job
// hits all of its processes at once, in whichever session they are: SIGCONT and SIGTERM, and SIGKILL after KillWait.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJob, readSettings, writeJob } from './fake-state.mjs';

const LOOK_EVERY_MS = 20;
const [state, id] = process.argv.slice(2);
const directory = join(state, 'jobs', id);
const MARK = `FAKE_SLURM_JOB=${directory}`;
let job = readJob(state, id);

const set = (change) => {
  job = { ...job, ...change };
  writeJob(state, job);
};
/** An order is taken once. */
const isOrdered = (name) => {
  const file = join(directory, name);
  if (!existsSync(file)) return false;
  rmSync(file);
  return true;
};

/** Those that carry the mark, and the session of the script for those that have taken it off. */
function processes(leader) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        if (fields[0] === 'Z') return false;
        return (
          Number(fields[3]) === leader ||
          readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(MARK)
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

function signal(leader, ...names) {
  for (const pid of processes(leader)) {
    for (const name of names) {
      try {
        process.kill(pid, name);
      } catch {
        // It has just ended.
      }
    }
  }
}

async function endAll(leader) {
  signal(leader, 'SIGCONT', 'SIGTERM');
  const since = Date.now();
  while (processes(leader).length > 0) {
    if (Date.now() >= since + readSettings(state).killWaitMs) signal(leader, 'SIGKILL');
    await sleep(LOOK_EVERY_MS);
  }
}

/** Until it may start. Returns false if it is canceled before. */
async function queued(notBefore) {
  for (;;) {
    if (!existsSync(directory)) return false;
    if (isOrdered('cancel')) {
      set({ word: 'CANCELLED', endAt: Date.now() });
      return false;
    }
    const { pending } = readSettings(state);
    const before = job.after === null ? undefined : readJob(state, job.after);
    const isAfter = before !== undefined && /^(?:PENDING|RUNNING|COMPLETING)$/.test(before.word);
    const reason = isAfter
      ? 'Dependency'
      : job.isImpossible
        ? 'PartitionConfig'
        : Date.now() < notBefore
          ? 'BeginTime'
          : pending?.reason;
    if (reason === undefined) return true;
    const startAt = pending?.startsAt ?? null;
    if (job.reason !== reason || job.startAt !== startAt) set({ reason, startAt });
    await sleep(LOOK_EVERY_MS);
  }
}

function environment() {
  const { SLURM_CONF, ...env } = job.env;
  const memory =
    job.memory === null ? { SLURM_MEM_PER_CPU: '50' } : { SLURM_MEM_PER_NODE: megabytes(job.memory) };
  return {
    ...env,
    ...(SLURM_CONF === undefined ? {} : { SLURM_CONF }),
    ...memory,
    ...(job.restarts > 0 ? { SLURM_RESTART_COUNT: String(job.restarts) } : {}),
    FAKE_SLURM_JOB: directory,
    ENVIRONMENT: 'BATCH',
    SLURM_CLUSTER_NAME: readSettings(state).name,
    SLURM_JOB_ID: id,
    SLURM_JOBID: id,
    SLURM_JOB_NAME: job.name,
    SLURM_JOB_PARTITION: job.partition,
    SLURM_CPUS_ON_NODE: String(job.cpus),
    SLURM_JOB_NUM_NODES: String(job.nodes),
    SLURM_NNODES: String(job.nodes),
    SLURM_NODEID: '0',
    SLURM_PROCID: '0',
    SLURM_NTASKS: String(job.tasks),
    SLURM_JOB_NODELIST: job.nodes === 1 ? 'n1' : `n[1-${job.nodes}]`,
    SLURM_NODELIST: job.nodes === 1 ? 'n1' : `n[1-${job.nodes}]`,
    SLURMD_NODENAME: 'n1',
    SLURM_EXPORT_ENV: 'ALL',
    SLURM_SUBMIT_DIR: job.directory,
  };
}

function megabytes(text) {
  const [, number, unit] = /^(\d+)([KMGT]?)/i.exec(text);
  return String(
    Math.ceil(Number(number) * { K: 1 / 1024, '': 1, M: 1, G: 1024, T: 1024 ** 2 }[unit.toUpperCase()]),
  );
}

/** Runs the script once. Returns how it ended, as Slurm has it, or `requeue`. */
async function run() {
  const now = Date.now();
  set({ word: 'RUNNING', reason: 'None', startAt: now, endAt: now + job.limitMs });
  const output = openSync(resolve(job.directory, job.output), 'a');
  const child = spawn(join(directory, 'script'), [], {
    cwd: job.directory,
    env: environment(),
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  let exit;
  child.once('error', () => {
    exit = 127;
  });
  child.once('exit', (code) => {
    exit = code ?? 1;
  });
  for (;;) {
    await sleep(LOOK_EVERY_MS);
    if (!existsSync(directory)) {
      signal(child.pid, 'SIGKILL');
      return null;
    }
    if (existsSync(join(directory, 'end-at'))) {
      set({ endAt: Number(readFileSync(join(directory, 'end-at'), 'utf8')) });
      rmSync(join(directory, 'end-at'));
    }
    if (exit !== undefined) {
      await endAll(child.pid);
      return exit === 0 ? 'COMPLETED' : 'FAILED';
    }
    const isRequeued = isOrdered('requeue');
    const isPreempted = isOrdered('preempt');
    if (isOrdered('fail-node')) {
      signal(child.pid, 'SIGKILL');
      return job.mayRequeue ? 'requeue' : 'NODE_FAIL';
    }
    const isCanceled = isOrdered('cancel');
    const isOver = Date.now() >= job.endAt;
    if (!isRequeued && !isPreempted && !isCanceled && !isOver) continue;
    set({ word: 'COMPLETING' });
    await endAll(child.pid);
    if (isCanceled) return 'CANCELLED';
    if (isOver) return 'TIMEOUT';
    return isRequeued || job.mayRequeue ? 'requeue' : 'PREEMPTED';
  }
}

for (let notBefore = 0; await queued(notBefore); ) {
  const end = await run();
  if (end === null) break;
  if (end !== 'requeue') {
    set({ word: end, endAt: Date.now() });
    break;
  }
  notBefore = Date.now() + readSettings(state).requeueMs;
  set({ word: 'PENDING', reason: 'BeginTime', restarts: job.restarts + 1, startAt: null, endAt: null });
}
