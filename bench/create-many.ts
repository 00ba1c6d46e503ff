import { join } from 'node:path';
import { loadSpec, openEngine } from '../src/index.ts';
import { command } from './measure.ts';

export interface Created {
  /** The spec read, the engine opened, the workflow stored. */
  ms: number;
  /** The longest time in which nothing else in the process could run while the workflow was stored; it is read in a thread by a server. */
  pauseMs: number;
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

/** Prints what it took. */
export async function createMany(jobs: number, dir: string): Promise<void> {
  const start = performance.now();
  const loaded = loadSpec(specOf(jobs), 'many.yaml');
  if (!loaded.ok) throw new Error('the spec of the benchmark is wrong');
  const engine = await openEngine({ dir: join(dir, '.holdfast'), create: true });
  const pauses = watchPauses();
  const place = { cwd: dir, output_dir: 'output', actor: 'bench' };
  await engine.createWorkflow({ model: loaded.model, ...place });
  const ms = performance.now() - start;
  const pauseMs = pauses();
  await engine.close();
  const created: Created = { ms, pauseMs, peakMb: process.resourceUsage().maxRSS / 1024 };
  process.stdout.write(JSON.stringify(created));
}

/** Returns the longest time between two turns of the event loop until then. */
export function watchPauses(): () => number {
  let last = performance.now();
  let longest = 0;
  let isDone = false;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isDone = true;
    look();
    return longest;
  };
}
