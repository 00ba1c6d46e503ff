import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findHyperQueue } from './hyperqueue.ts';
import { drawPlot, type LinePlot } from './line-plot.ts';
import { type BenchLine, command, holdfast, inTempDir } from './measure.ts';
import { stepChain } from './routing-bench.ts';

const DIRECTORY = resolve(import.meta.dirname, '../../docs/bench');
const JOBS = [100, 300, 1_000, 3_000, 10_000];
const STEPS = [10, 30, 100, 300, 1_000];
const PARALLEL = 2;

/** Draws the plots of docs/bench.md, from new measurements. */
export async function benchPlots(): Promise<BenchLine[]> {
  mkdirSync(DIRECTORY, { recursive: true });
  write('throughput', await throughput());
  write('steps', await steps());
  return [];
}

function write(name: string, plot: LinePlot): void {
  const path = join(DIRECTORY, `${name}.svg`);
  writeFileSync(path, drawPlot(plot));
  process.stderr.write(`wrote ${path}\n`);
}

async function throughput(): Promise<LinePlot> {
  const hyperQueue = findHyperQueue();
  const rivals: { name: string; seconds(dir: string, jobs: number): number | Promise<number> }[] = [
    { name: 'xargs -P2', seconds: runXargs },
    { name: 'Holdfast', seconds: runOurs },
  ];
  if (hyperQueue !== null) {
    const seconds = async (dir: string, jobs: number) => (await hyperQueue.run(dir, jobs, PARALLEL)) / 1000;
    rivals.push({ name: hyperQueue.name, seconds });
  }
  const points = rivals.map((): [number, number][] => []);
  await inTempDir(async (dir) => {
    for (const jobs of JOBS) {
      for (const [index, { seconds }] of rivals.entries()) {
        points[index]!.push([jobs, jobs / (await seconds(dir, jobs))]);
      }
    }
  });
  return {
    title: 'Trivial jobs, two at a time, the whole command',
    x: 'jobs',
    y: 'jobs per second',
    lines: rivals.map(({ name }, index) => ({ name, points: points[index]! })),
  };
}

function runXargs(dir: string, jobs: number): number {
  return command(dir, 'bash', '-c', `seq ${jobs} | xargs -P${PARALLEL} -I{} bash -c true`).ms / 1000;
}

function runOurs(dir: string, jobs: number): number {
  const spec = `sweep-${jobs}.yaml`;
  const job = `{ name: "job_{i}", command: "true", parameters: { i: "1:${jobs}" } }`;
  writeFileSync(join(dir, spec), `name: sweep\njobs:\n  - ${job}\n`);
  return holdfast(dir, 'run', spec, '--max-parallel', String(PARALLEL), '--output', 'quiet').ms / 1000;
}

async function steps(): Promise<LinePlot> {
  const points: [number, number][] = [];
  for (const count of STEPS) points.push([count, await stepChain(count)]);
  return {
    title: 'A step of a chain, with its process',
    x: 'steps in the chain',
    y: 'milliseconds per step',
    lines: [{ name: 'Holdfast', points }],
  };
}
