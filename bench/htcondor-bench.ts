import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HTCondorPool } from '../src/clusters/htcondor/pool.ts';
import { type BenchLine, median } from './measure.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const POOL = join(ROOT, 'test/clusters/condor-pool.sh');
const BIN = join(ROOT, 'bin/holdfast.js');
const NODES = 200;
const TURNS = 2;
const LOOK_MS = 100;

/** A POST script that accepts what the job returned. */
const SHELL_POST = '#!/bin/sh\nexit "$2"\n';

/** A DAG with the built-in post step, and the same with a shell script as POST, in turn. */
export async function benchHTCondor(): Promise<BenchLine[]> {
  const reason = spawnSync('bash', [POOL, 'reason'], { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
  if (reason !== '') {
    process.stderr.write(`skipped: a real HTCondor: ${reason}\n`);
    return [];
  }
  run('install');
  // DAGMan refuses to run under the system's temporary directory.
  const base = `/var/tmp/holdfast-condor-bench-${process.pid}`;
  run('up', base, String(20_000 + Math.floor(Math.random() * 10_000)));
  try {
    return [await compare(base)];
  } finally {
    run('down', base);
    rmSync(base, { recursive: true, force: true });
  }
}

function run(...args: string[]): void {
  const { status, stderr } = spawnSync('bash', [POOL, ...args], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args[0]} of the pool failed: ${stderr}`);
}

async function compare(base: string): Promise<BenchLine> {
  const builtin: number[] = [];
  const shell: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    builtin.push(await secondsOf(base, `builtin-${turn}`, null));
    shell.push(await secondsOf(base, `shell-${turn}`, SHELL_POST));
  }
  const [own, plain] = [median(builtin), median(shell)];
  return {
    name: `${NODES} nodes of a DAG with the built-in post step`,
    value: own,
    unit: 's',
    ratio: own / plain,
    against: `a shell script as POST: ${plain.toFixed(1)} s`,
    aim: '<= 1.2',
    met: own / plain <= 1.2,
  };
}

/** From the submission until DAGMan has left the queue. `post`: what replaces the POST script; null: nothing does. */
async function secondsOf(base: string, name: string, post: string | null): Promise<number> {
  const project = join(base, 'w', name);
  const env = { ...(process.env as Record<string, string>), PATH: `${base}/bin:${process.env.PATH}` };
  mkdirSync(project);
  writeFileSync(
    join(project, 'wide.yaml'),
    `name: wide\njobs:\n  - { name: "job_{i}", command: "true", parameters: { i: "1:${NODES}" } }\n`,
  );
  const exported = spawnSync(process.execPath, [BIN, 'htcondor', 'export', 'wide.yaml', '-o', 'dag'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  if (exported.status !== 0) throw new Error(exported.stderr);
  const directory = join(project, 'dag');
  if (post !== null) writeFileSync(join(directory, 'post'), post, { mode: 0o755 });
  for (const place of [project, directory]) chmodSync(place, 0o777);
  for (const file of readdirSync(directory)) spawnSync('chmod', ['a+rwX', join(directory, file)]);
  const pool = new HTCondorPool({ env });
  const begun = performance.now();
  const id = await pool.submitDag({ directory, dag: 'workflow.dag', tag: name });
  while ((await pool.list([id])).has(id)) await pause(LOOK_MS);
  const seconds = (performance.now() - begun) / 1000;
  const end = (await pool.history([id])).get(id);
  if (end?.exitCode !== 0) throw new Error(`the DAG ended with ${end?.exitCode}`);
  return seconds;
}
