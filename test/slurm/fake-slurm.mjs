// Slurm's commands as tests need them: `fake-slurm.mjs STATE COMMAND ARGUMENT...`. STATE is a directory with
// `settings.json`, `calls` (a line of JSON for each call) and `jobs/ID/`, each with `job.json`, which only fake-job.mjs
// writes once the job is there, and files by which commands give it orders.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readJob, readJobs, readSettings, writeJob } from './fake-state.mjs';

const [state, command, ...args] = process.argv.slice(2);
const settings = readSettings(state);
/** Letters of options that have a value. */
const OF_JOBS = {
  n: 'ntasks',
  N: 'nodes',
  t: 'time',
  p: 'partition',
  J: 'job-name',
  o: 'output',
  D: 'chdir',
};
const OF_QUEUE = { n: 'name', j: 'jobs', t: 'states', o: 'format' };

class Failed extends Error {
  constructor(text, exitCode = 1) {
    super(text);
    this.exitCode = exitCode;
  }
}

/** `--name=value`, `--name`, `-n value` and `-n1`; the rest is what follows them. */
function parse(words, letters) {
  const options = {};
  let index = 0;
  for (; index < words.length && words[index].startsWith('-'); index += 1) {
    const word = words[index];
    if (word.startsWith('--')) {
      const [name, ...value] = word.slice(2).split('=');
      options[name] = value.join('=');
      continue;
    }
    const name = letters[word[1]];
    if (name === undefined) options[word[1]] = '';
    else if (word.length > 2) options[name] = word.slice(2);
    else {
      index += 1;
      options[name] = words[index];
    }
  }
  return { options, rest: words.slice(index) };
}

const pad = (number) => String(number).padStart(2, '0');
/** As Slurm prints times: of the time zone of who asks, which it does not name. */
function time(ms) {
  if (ms === null) return 'N/A';
  const at = new Date(ms);
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
}

function limitMs(text) {
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text);
  if (match === null) throw new Failed('sbatch: error: Invalid --time specification', 255);
  const [days, first, second, third] = match.slice(1).map((part) => Number(part ?? 0));
  if (match[1] !== undefined) return (((days * 24 + first) * 60 + second) * 60 + third) * 1000;
  if (match[4] !== undefined) return ((first * 60 + second) * 60 + third) * 1000;
  return (first * 60 + second) * 1000;
}

function requested(options) {
  const partition = options.partition ?? settings.partitions[0];
  if (!settings.partitions.includes(partition)) {
    throw new Failed(
      `sbatch: error: invalid partition specified: ${partition}\nsbatch: error: Batch job submission failed: Invalid partition name specified`,
    );
  }
  const nodes = Number(options.nodes ?? 1);
  const tasks = Number(options.ntasks ?? nodes);
  const cpus = Math.ceil((tasks * Number(options['cpus-per-task'] ?? 1)) / nodes);
  const isImpossible = cpus > settings.cpus || nodes > settings.nodes;
  return { partition, nodes, tasks, cpus, isImpossible, limitMs: limitMs(options.time ?? '10') };
}

function sbatch() {
  const { options, rest } = parse(args, OF_JOBS);
  const request = requested(options);
  if ('test-only' in options) {
    if (request.isImpossible)
      throw new Failed('allocation failure: Requested node configuration is not available');
    const at = time(settings.pending?.startsAt ?? Date.now());
    process.stderr.write(
      `sbatch: Job 1 to start at ${at} using ${request.cpus * request.nodes} processors on nodes n[1-${request.nodes}] in partition ${request.partition}\n`,
    );
    return '';
  }
  const script =
    options.wrap === undefined ? readFileSync(rest[0] ?? 0, 'utf8') : `#!/bin/sh\n${options.wrap}\n`;
  let id = readJobs(state).length + 1;
  for (; !isMade(join(state, 'jobs', String(id))); id += 1);
  const directory = join(state, 'jobs', String(id));
  writeFileSync(join(directory, 'script'), script, { mode: 0o700 });
  writeJob(state, {
    id,
    name: options['job-name'] ?? 'sbatch',
    comment: options.comment ?? '(null)',
    word: 'PENDING',
    reason: 'None',
    restarts: 0,
    startAt: null,
    endAt: null,
    mayRequeue: !('no-requeue' in options),
    after: options.dependency?.split(':')[1] ?? null,
    memory: options.mem ?? null,
    directory: options.chdir ?? process.cwd(),
    output: (options.output ?? 'slurm-%j.out').replaceAll(/%([%j])/g, (_, letter) =>
      letter === 'j' ? id : '%',
    ),
    env: process.env,
    ...request,
  });
  const program = fileURLToPath(new URL('fake-job.mjs', import.meta.url));
  spawn(process.execPath, [program, state, String(id)], { detached: true, stdio: 'ignore' }).unref();
  if (settings.odd.sbatch?.kind === 'lost') process.kill(process.pid, 'SIGKILL');
  return 'parsable' in options ? `${id}\n` : `Submitted batch job ${id}\n`;
}

function isMade(directory) {
  try {
    mkdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

const ENDED = new Set([
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMEOUT',
  'NODE_FAIL',
  'PREEMPTED',
  'OUT_OF_MEMORY',
]);

function squeue() {
  const { options } = parse(args, OF_QUEUE);
  const ids = options.jobs?.split(',');
  const names = options.name?.split(',');
  const found = readJobs(state)
    .filter((job) => ids === undefined || ids.includes(String(job.id)))
    .filter((job) => names === undefined || names.includes(job.name))
    .filter((job) => options.states === 'all' || ids !== undefined || !ENDED.has(job.word));
  if (ids?.length === 1 && found.length === 0) {
    throw new Failed('slurm_load_jobs error: Invalid job id specified');
  }
  const fields = (job) => ({
    A: job.id,
    i: job.id,
    j: job.name,
    k: job.comment,
    T: job.word,
    r: job.reason,
    S: time(job.startAt),
    e: time(job.endAt),
    P: job.partition,
    N: job.word === 'PENDING' ? '' : 'n1',
  });
  const format = options.format ?? '%i %T';
  return found
    .map((job) => `${format.replaceAll(/%(\w)/g, (_, letter) => String(fields(job)[letter] ?? ''))}\n`)
    .join('');
}

/** Orders for a job, carried out by fake-job.mjs. */
function order(id, name, text = '') {
  if (readJob(state, id) !== undefined) writeFileSync(join(state, 'jobs', String(id), name), text);
}

function scontrol() {
  const [what, ...rest] = args.filter((word) => word !== '-o');
  if (what === 'ping') return 'Slurmctld(primary) at fake is UP\n';
  if (what === 'show' && rest[0] === 'config')
    return `Configuration data as of ${time(Date.now())}\nClusterName             = ${settings.name}\n`;
  const id = what === 'update' ? /JobId=(\d+)/.exec(rest.join(' '))?.[1] : rest.at(-1);
  const job = readJob(state, id);
  if (job === undefined) throw new Failed('scontrol error: Invalid job id specified');
  if (what === 'requeue') order(id, 'requeue');
  if (what === 'update') {
    const [, seconds] = /EndTime=now(?:\+(\d+))?/.exec(rest.join(' ')) ?? [];
    order(id, 'end-at', String(Date.now() + Number(seconds ?? 0) * 1000));
  }
  if (what !== 'show') return '';
  return `JobId=${id} JobName=${job.name} JobState=${job.word} Reason=${job.reason} Restarts=${job.restarts} StartTime=${time(job.startAt)} EndTime=${time(job.endAt)} Comment=${job.comment}\n`;
}

function scancel() {
  for (const id of parse(args, {}).rest) order(id, 'cancel');
  return '';
}

function sinfo() {
  if (args.includes('--version')) return 'slurm 22.05.8\n';
  return settings.partitions
    .map(
      (name, index) =>
        `${name}${index === 0 ? '*' : ''}|up|infinite|10:00|${settings.nodes}|${settings.cpus}|1000|idle|(null)\n`,
    )
    .join('');
}

function sacct() {
  if (!settings.accounting) throw new Failed('Slurm accounting storage is disabled');
  const ids = parse(args, { j: 'jobs', o: 'format' }).options.jobs.split(',');
  return readJobs(state, 'forgotten')
    .filter((job) => ids.includes(String(job.id)))
    .map((job) => `${job.id}|${job.word === 'CANCELLED' ? 'CANCELLED by 0' : job.word}\n`)
    .join('');
}

/** One task on each node, by default; ends with the worst exit code. */
async function srun() {
  const { options, rest } = parse(args, OF_JOBS);
  const tasks = Number(options.ntasks ?? options.nodes ?? process.env.SLURM_NTASKS ?? 1);
  const codes = Array.from({ length: tasks }, (_, task) => {
    const env = { ...process.env, SLURM_PROCID: task, SLURM_NODEID: task, SLURMD_NODENAME: `n${task + 1}` };
    const child = spawn(rest[0], rest.slice(1), { env, stdio: 'inherit' });
    return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  });
  process.exitCode = Math.max(...(await Promise.all(codes)));
  return '';
}

const COMMANDS = { sbatch, squeue, scontrol, scancel, sinfo, sacct, srun };

appendFileSync(join(state, 'calls'), `${JSON.stringify([command, ...args])}\n`);
try {
  if (settings.odd[command]?.kind === 'slow') await sleep(settings.odd[command].ms);
  process.stdout.write(await COMMANDS[command]());
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
