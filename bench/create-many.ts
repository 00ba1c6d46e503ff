import { join } from 'node:path';
import { openEngine as openServed } from '../src/engine/open-engine.ts';
import { loadSpec, openEngine } from '../src/index.ts';
import { SubmissionDesk } from '../src/server/submission/submission-desk.ts';
import { DEFAULT_SUBMISSION_LIMITS } from '../src/server/submission/submission-limits.ts';
import { type LongestTurn, watchTurns } from './longest-turn.ts';
import { command } from './measure.ts';

export interface Created {
  /** The spec read, the engine opened, the workflow stored. */
  ms: number;
  /** The most memory that the process had. */
  peakMb: number;
}

export function specOf(jobs: number): string {
  return `name: many\njobs:\n  - name: job_{i}\n    command: echo {i}\n    parameters: { i: "1:${jobs}" }\n`;
}

/** Creates a workflow of so many jobs in a process of its own. */
export function createInProcess(jobs: number, dir: string): Created {
  const { stdout } = command(dir, process.execPath, process.argv[1]!, '--create-many', String(jobs), dir);
  return JSON.parse(stdout) as Created;
}

/** The longest turn of the event loop of a process that stores a workflow of so many jobs as a server does. */
export function submitInProcess(jobs: number, dir: string): LongestTurn {
  const { stdout } = command(dir, process.execPath, process.argv[1]!, '--submit-many', String(jobs), dir);
  return JSON.parse(stdout) as LongestTurn;
}

/** Prints what it took. */
export async function createMany(jobs: number, dir: string): Promise<void> {
  const start = performance.now();
  const loaded = loadSpec(specOf(jobs), 'many.yaml');
  if (!loaded.ok) throw new Error('the spec of the benchmark is wrong');
  const engine = await openEngine({ dir: join(dir, '.holdfast'), create: true });
  const place = { cwd: dir, output_dir: 'output', actor: 'bench' };
  await engine.createWorkflow({ model: loaded.model, ...place });
  const ms = performance.now() - start;
  await engine.close();
  const created: Created = { ms, peakMb: process.resourceUsage().maxRSS / 1024 };
  process.stdout.write(JSON.stringify(created));
}

/** Prints the longest turn. A thread reads the spec, and this one stores it. */
export async function submitMany(jobs: number, dir: string): Promise<void> {
  const engine = await openServed({ dir: join(dir, '.holdfast'), create: true });
  const desk = new SubmissionDesk(engine);
  const body = { spec: specOf(jobs), output_dir: 'output' };
  const longestTurn = watchTurns();
  await desk.submit({
    text: JSON.stringify(body),
    actor: 'bench',
    idempotencyKey: null,
    limits: DEFAULT_SUBMISSION_LIMITS.admin,
    retryDefaults: {},
    hasCluster: false,
    hasDagman: false,
    notify: { targets: [], hasMail: false, hosts: null },
    groups: null,
  });
  process.stdout.write(JSON.stringify(longestTurn()));
  desk.close();
  await engine.close();
}
