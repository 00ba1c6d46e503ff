import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpEngine } from '../src/client/http-engine.ts';
import { allPages } from '../src/contract/all-pages.ts';
import { type BenchLine, inTempDir, median } from './measure.ts';

type Measured = 'workers' | 'slurm';

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = join(ROOT, 'bin/holdfast.js');
const CLUSTER = join(ROOT, 'test/clusters/slurm-cluster.sh');
const JOBS = 1_000;
const TURNS = 3;

const SPEC = `name: trivial
slurm_schedulers:
  - { name: here, nodes: 1, ntasks_per_node: 2, walltime: "10:00" }
jobs:
  - { name: "job_{i}", command: "true", parameters: { i: "1:${JOBS}" } }
`;

/** Trivial jobs on a worker in an allocation, and on a plain worker of the same server, in turn. */
export async function benchSlurm(): Promise<BenchLine[]> {
  const reason = spawnSync('bash', [CLUSTER, 'reason'], { encoding: 'utf8' }).stdout.trim();
  if (reason !== '') {
    process.stderr.write(`skipped: a real Slurm: ${reason}\n`);
    return [];
  }
  return inTempDir(async (dir) => {
    // munge wants its socket where everybody can reach it.
    chmodSync(dir, 0o755);
    const cluster = join(dir, 'cluster');
    const env = { ...process.env, SLURM_CONF: join(cluster, 'etc/slurm.conf'), NODES: '1' };
    run(env, 'install');
    run(env, 'up', cluster, String(20_000 + Math.floor(Math.random() * 10_000)));
    try {
      return [await compare(dir, env)];
    } finally {
      run(env, 'down', cluster);
    }
  });
}

function run(env: NodeJS.ProcessEnv, ...args: string[]): void {
  const { status, stderr } = spawnSync('bash', [CLUSTER, ...args], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args[0]} of the cluster failed: ${stderr}`);
}

async function compare(dir: string, env: NodeJS.ProcessEnv): Promise<BenchLine> {
  const server = spawn(
    process.execPath,
    [BIN, 'serve', '--port', '0', '--output', 'quiet', '--log-level', 'error'],
    {
      cwd: dir,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
  const url = line.trim();
  const engine = new HttpEngine({ url, token: null });
  const paces: Record<Measured, Pace[]> = { workers: [], slurm: [] };
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      paces.slurm.push(await paceOf(engine, dir, 'slurm'));
      const worker = plainWorker(dir, url);
      paces.workers.push(await paceOf(engine, dir, 'workers'));
      await ended(worker);
    }
  } finally {
    await engine.close();
    await ended(server);
  }
  const rateOf = (executor: Measured) => median(paces[executor].map(({ rate }) => rate));
  const secondsOf = (executor: Measured) => median(paces[executor].map(({ seconds }) => seconds)).toFixed(1);
  const [inAllocation, plain] = [rateOf('slurm'), rateOf('workers')];
  return {
    name: '1,000 trivial jobs through one allocation',
    value: inAllocation,
    unit: 'per s',
    ratio: inAllocation / plain,
    against: `a plain worker: ${plain.toFixed(0)} per s; runs of ${secondsOf('slurm')} and ${secondsOf('workers')} s`,
    aim: '>= 0.8',
    met: inAllocation / plain >= 0.8,
  };
}

function plainWorker(dir: string, url: string): ChildProcess {
  return spawn(
    process.execPath,
    [BIN, 'worker', '--server', url, '--cpus', '2', '--dir', join(dir, 'plain')],
    {
      cwd: dir,
      stdio: 'ignore',
    },
  );
}

async function ended(child: ChildProcess): Promise<void> {
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  await end;
}

interface Pace {
  /** Jobs in a second, from the start of the first to the end of the last. */
  rate: number;
  /** Until the run was known to have ended, which in an allocation is a second after the last job. */
  seconds: number;
}

async function paceOf(engine: HttpEngine, dir: string, executor: Measured): Promise<Pace> {
  const { id } = await engine.createWorkflow({
    source: { text: SPEC, name: 'trivial.yaml' },
    cwd: dir,
    output_dir: 'output',
    actor: 'bench',
    executor,
  });
  for (;;) {
    const { exit_code, started_at_ms, finished_at_ms } = await engine.status(id);
    if (exit_code !== null && exit_code !== 0) throw new Error('a job of the benchmark failed');
    if (exit_code === 0) {
      const attempts = await allPages((query) => engine.listAttempts(id, query));
      const begun = Math.min(...attempts.map(({ started_at_ms: at }) => at!));
      const ended = Math.max(...attempts.map(({ finished_at_ms: at }) => at!));
      return { rate: JOBS / ((ended - begun) / 1000), seconds: (finished_at_ms! - started_at_ms!) / 1000 };
    }
    await pause(100);
  }
}
