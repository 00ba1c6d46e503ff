import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawPlot } from '../../bench/line-plot.ts';
import type { Database } from '../world.ts';
import { median, plots, type Sample, trends } from './health-samples.ts';
import { HealthWorld } from './health-world.ts';
import { SteadyLoad } from './steady-load.ts';

export interface HealthOptions {
  database: Database;
  minutes: number;
  jobsPerSecond: number;
  /** Where samples and plots are written. */
  directory: string;
  sampleMs: number;
  print: (line: string) => void;
}

const PRUNE_MS = 30_000;
const LOGS_MS = 10 * 60_000;

/** Keeps a server and two workers under a steady load, and looks whether anything grows. Returns what is wrong. */
export async function runHealth(options: HealthOptions): Promise<string[]> {
  const { database, print } = options;
  const world = await HealthWorld.start(database);
  const load = new SteadyLoad(world.url, options.jobsPerSecond);
  const ending = new AbortController();
  const interrupted = () => ending.abort();
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  const samples: Sample[] = [];
  const loading = load.run(ending.signal);
  try {
    const began = performance.now();
    let prunedAt = began;
    while (performance.now() - began < options.minutes * 60_000 && !ending.signal.aborted) {
      await sleep(options.sampleMs, undefined, { signal: ending.signal }).catch(() => {});
      const sample = await measure(world, load, (performance.now() - began) / 60_000);
      samples.push(sample);
      writeFiles(options, samples);
      print(describe(sample, load));
      if (performance.now() - prunedAt < PRUNE_MS) continue;
      prunedAt = performance.now();
      await load.prune();
      world.removeLogs(LOGS_MS);
    }
    ending.abort();
    await loading;
  } finally {
    ending.abort();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await world.stop();
  }
  const all = trends(samples);
  for (const { measure: what, line, unit, earlier, later, isFlat } of all)
    print(`${what}, ${line}: ${number(earlier)} -> ${number(later)} ${unit}${isFlat ? '' : '  GROWS'}`);
  print(`${load.workflows} workflows, ${load.jobs} jobs, ${load.pruned} workflows pruned`);
  return [
    ...load.problems,
    ...all.filter(({ isFlat }) => !isFlat).map(({ measure: what, line }) => `${what} of ${line} grows`),
  ];
}

async function measure(world: HealthWorld, load: SteadyLoad, minute: number): Promise<Sample> {
  const processes = Object.entries(world.processes());
  const { submit, read, workflow } = load.takeLatencies();
  return {
    minute,
    memory: Object.fromEntries(processes.map(([name, { megabytes }]) => [name, megabytes])),
    descriptors: Object.fromEntries(processes.map(([name, { descriptors }]) => [name, descriptors])),
    database: { database: await world.databaseMegabytes() },
    latency: {
      'submit a workflow': median(submit),
      'read its status': median(read),
      'workflow of 10': median(workflow),
    },
  };
}

function describe(sample: Sample, load: SteadyLoad): string {
  const list = (values: Record<string, number>) => Object.values(values).map(number).join('/');
  return `${sample.minute.toFixed(1)} min: ${load.jobs} jobs, ${list(sample.memory)} MB, ${list(sample.descriptors)} descriptors, database ${list(sample.database)} MB, latency ${list(sample.latency)} ms, ${load.problems.length} problems`;
}

function writeFiles({ directory, database }: HealthOptions, samples: Sample[]): void {
  mkdirSync(directory, { recursive: true });
  const name = database === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  writeFileSync(join(directory, `health-${database}.json`), JSON.stringify(samples));
  for (const [what, plot] of Object.entries(plots(samples, name)))
    writeFileSync(join(directory, `health-${what}-${database}.svg`), drawPlot(plot));
}

const number = (value: number) => value.toFixed(value < 100 ? 1 : 0);
