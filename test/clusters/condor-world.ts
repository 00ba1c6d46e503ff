import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HTCondorPool } from '../../src/clusters/htcondor/pool.ts';
import { type DagRunFacts, readDagRun } from '../../src/clusters/htcondor/read/read-dag-run.ts';
import { type ClusterProgram, guardCluster, removeLeft } from './cluster-guard.ts';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
const PROGRAM: ClusterProgram = {
  path: fileURLToPath(new URL('condor-pool.sh', import.meta.url)),
  // DAGMan refuses to run under /tmp.
  place: '/var/tmp',
  prefix: 'holdfast-condor',
};
const LOOK_MS = 500;

/** A real HTCondor of one's own. It ends with the process that started it, however that ends. */
export interface CondorWorld {
  pool: HTCondorPool;
  env: Record<string, string>;
  /** A directory that jobs of the pool may write to, with the given files. */
  project(name: string, files?: Record<string, string>): string;
  /** `holdfast htcondor export` in a project. Returns the directory of the DAG. */
  exportDag(project: string, spec: string, ...options: string[]): Promise<string>;
  /** Submits the DAG of a directory and waits for its end. */
  runDag(directory: string): Promise<DagRunFacts>;
  submit(directory: string): Promise<string>;
  /** What `condor_submit_dag` would submit. */
  check(directory: string): Promise<string>;
  ended(directory: string, id: string): Promise<DagRunFacts>;
  /** The process of a DAGMan, as if it had crashed. */
  killDagman(id: string): Promise<void>;
  stopSchedd(): Promise<void>;
  startSchedd(): Promise<void>;
  /** A command of HTCondor, as a person would call it: its standard output. */
  command(program: string, ...args: string[]): Promise<string>;
  down(): Promise<void>;
}

let submissions = 0;

export async function startCondor(): Promise<CondorWorld> {
  const { directory: base, up, order, down } = guardCluster(PROGRAM);
  const env = { ...(process.env as Record<string, string>), PATH: `${base}/bin:${process.env.PATH}` };
  await up(String(await freePort()));
  const pool = new HTCondorPool({ env });
  const submit = async (directory: string) => {
    submissions += 1;
    openToAll(directory);
    return pool.submitDag({ directory, dag: dagIn(directory), tag: `test-${process.pid}-${submissions}` });
  };
  const ended = async (directory: string, id: string) => {
    while ((await pool.list([id])).has(id)) await sleep(LOOK_MS);
    return readDagRun(directory, id);
  };
  return {
    pool,
    env,
    project: (name, files = {}) => {
      // A test that is repeated has a directory of its own.
      let directory = join(base, 'w', name);
      for (let again = 2; existsSync(directory); again++) directory = join(base, 'w', `${name}-${again}`);
      mkdirSync(directory);
      for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
      openToAll(directory);
      return directory;
    },
    exportDag: async (project, spec, ...options) => {
      await run(process.execPath, [BIN, 'htcondor', 'export', spec, '-o', 'dag', ...options], {
        cwd: project,
        env,
      });
      return join(project, 'dag');
    },
    runDag: async (directory) => ended(directory, await submit(directory)),
    submit,
    check: async (directory) => {
      openToAll(directory);
      const dag = join(directory, dagIn(directory));
      await run('condor_submit_dag', ['-no_submit', '-usedagdir', dag], { env });
      return readFileSync(`${dag}.condor.sub`, 'utf8');
    },
    ended,
    killDagman: (id) => order('kill-dagman', id),
    stopSchedd: () => order('stop-schedd'),
    startSchedd: () => order('start-schedd'),
    command: async (program, ...args) => (await run(program, args, { env })).stdout,
    down,
  };
}

const dagIn = (directory: string) =>
  readdirSync(directory).find((name) => name === 'round.dag' || name === 'workflow.dag')!;

/** Ends pools of earlier processes that were killed together with their guard. */
export const removeLeftPools = (): Promise<void> => removeLeft(PROGRAM);

/** As root, the pool runs as another user. */
function openToAll(directory: string): void {
  if (statSync(directory).uid !== process.getuid?.()) return;
  chmodSync(directory, 0o777);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) openToAll(join(directory, entry.name));
    else if (statSync(join(directory, entry.name)).uid === process.getuid?.()) {
      chmodSync(
        join(directory, entry.name),
        entry.name.endsWith('.sh') || entry.name === 'post' ? 0o777 : 0o666,
      );
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
