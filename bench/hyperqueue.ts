import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, isInstalled } from './measure.ts';

/** Its own server and worker in one Python process, without a journal; the time of the jobs alone is printed. */
const PYTHON = `import sys, time
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
with LocalCluster() as cluster:
    cluster.start_worker(WorkerConfig(cores=int(sys.argv[2])))
    client = cluster.client()
    start = time.time()
    job = Job()
    for _ in range(int(sys.argv[1])):
        job.program(["bash", "-c", "true"])
    client.wait_for_jobs([client.submit(job)])
    print("took", time.time() - start)
`;

interface HyperQueue {
  name: string;
  /** Runs `bash -c true` that often and returns the milliseconds from the submission to the last end. */
  run(dir: string, jobs: number, parallel: number): Promise<number>;
}

/** HyperQueue as it is installed here: the program `hq` with its journal, else its Python package; null: neither. */
export function findHyperQueue(): HyperQueue | null {
  if (isInstalled('hq')) return { name: 'HyperQueue with its journal', run: runProgram };
  if (hasPackage()) return { name: 'HyperQueue without a journal', run: runPackage };
  return null;
}

function hasPackage(): boolean {
  try {
    command('.', 'python3', '-c', 'import hyperqueue');
    return true;
  } catch {
    return false;
  }
}

async function runPackage(dir: string, jobs: number, parallel: number): Promise<number> {
  const cwd = join(dir, 'hyperqueue');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'run.py'), PYTHON);
  const { stdout } = command(cwd, 'python3', 'run.py', String(jobs), String(parallel));
  const seconds = /^took ([\d.]+)$/m.exec(stdout)?.[1];
  if (seconds === undefined) throw new Error('HyperQueue did not print how long it took');
  return 1000 * Number(seconds);
}

async function runProgram(dir: string, jobs: number, parallel: number): Promise<number> {
  const cwd = join(dir, 'hyperqueue');
  mkdirSync(cwd, { recursive: true });
  const hq = ['--server-dir', join(cwd, 'server')];
  const start = (...args: string[]) => spawn('hq', [...hq, ...args], { cwd, stdio: 'ignore' });
  const server = start('server', 'start', '--journal', join(cwd, 'journal'));
  await until(() => command(cwd, 'hq', ...hq, 'server', 'info'));
  const worker = start('worker', 'start', '--cpus', String(parallel));
  try {
    await until(() => {
      const { stdout } = command(cwd, 'hq', ...hq, '--output-mode', 'json', 'worker', 'list');
      if (!stdout.includes('"id"')) throw new Error('no worker yet');
    });
    return command(cwd, 'hq', ...hq, 'submit', '--array', `1-${jobs}`, '--wait', '--', 'bash', '-c', 'true')
      .ms;
  } finally {
    command(cwd, 'hq', ...hq, 'server', 'stop');
    worker.kill();
    server.kill();
  }
}

const MOST_TRIES = 100;

async function until(attempt: () => unknown): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      attempt();
      return;
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      await sleep(100);
    }
  }
}
