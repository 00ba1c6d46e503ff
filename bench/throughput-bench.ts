import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHyperQueue } from './hyperqueue.ts';
import { type BenchLine, command, holdfast, inTempDir, isInstalled, median } from './measure.ts';

const JOBS = 2_000;
const MANY_JOBS = 10_000;
const PARALLEL = 2;
const ROUNDS = 3;

/** Trivial jobs, every attempt durable, against tools that run the same `bash -c true`; most of them remember nothing. */
export async function benchThroughput(): Promise<BenchLine[]> {
  return inTempDir(async (dir) => [
    ...(await measureAgainst(dir, JOBS, [xargs(dir, JOBS, 0.65), ...hyperQueue(dir), ...otherRivals(dir)])),
    ...(await measureAgainst(dir, MANY_JOBS, [xargs(dir, MANY_JOBS, 0.75)])),
  ]);
}

interface Rival {
  name: string;
  run(): number | Promise<number>;
  /** The share of its speed that is aimed at; null: none. */
  aim: number | null;
}

async function measureAgainst(dir: string, jobs: number, rivals: readonly Rival[]): Promise<BenchLine[]> {
  const spec = `sweep-${jobs}.yaml`;
  const sweep = `parameters: { i: "1:${jobs}" }`;
  writeFileSync(
    join(dir, spec),
    `name: sweep\njobs:\n  - name: job_{i}\n    command: "true"\n    ${sweep}\n`,
  );
  const ours: number[] = [];
  const theirs = rivals.map((): number[] => []);
  // Interleaved, so that a busy moment of the machine touches all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { run }] of rivals.entries()) theirs[index]!.push(await run());
    ours.push(holdfast(dir, 'run', spec, '--max-parallel', String(PARALLEL), '--output', 'quiet').ms);
  }
  return rivals.map(({ name, aim }, index) => {
    const ratio = median(theirs[index]!) / median(ours);
    return {
      name: `${jobs.toLocaleString('en')} trivial jobs, whole command`,
      value: median(ours) / jobs,
      unit: 'ms/job',
      ratio,
      against: `${name}: ${(median(theirs[index]!) / jobs).toFixed(2)} ms/job`,
      aim: aim === null ? '' : `>= ${aim}`,
      met: aim === null ? null : ratio >= aim,
    };
  });
}

function xargs(dir: string, jobs: number, aim: number): Rival {
  const line = `seq ${jobs} | xargs -P${PARALLEL} -I{} bash -c true`;
  return { name: `xargs -P${PARALLEL}`, run: () => shell(dir, line), aim };
}

function hyperQueue(dir: string): Rival[] {
  const found = findHyperQueue();
  return found === null ? [] : [{ name: found.name, run: () => found.run(dir, JOBS, PARALLEL), aim: 1 }];
}

function otherRivals(dir: string): Rival[] {
  const rivals: Rival[] = [];
  if (isInstalled('parallel')) {
    const line = `seq ${JOBS} | parallel -j${PARALLEL} bash -c true {}`;
    rivals.push({ name: 'GNU parallel', run: () => shell(dir, line), aim: 1 });
  }
  if (isInstalled('make')) {
    const targets = Array.from({ length: JOBS }, (_, index) => `t${index}`);
    const rules = targets.map((target) => `${target}:\n\tbash -c true`);
    writeFileSync(join(dir, 'Makefile'), `all: ${targets.join(' ')}\n${rules.join('\n')}\n`);
    const name = `make -j${PARALLEL}`;
    rivals.push({ name, run: () => shell(dir, `make -s -j${PARALLEL}`), aim: null });
  }
  if (isInstalled('snakemake')) {
    writeFileSync(
      join(dir, 'Snakefile'),
      `rule all:\n  input: expand("done/{i}", i=range(${JOBS}))\nrule one:\n  output: "done/{i}"\n  shell: "true; touch {output}"\n`,
    );
    const line = `rm -rf done; snakemake -q -j${PARALLEL}`;
    rivals.push({ name: `snakemake -j${PARALLEL}`, run: () => shell(dir, line), aim: 1 });
  }
  return rivals;
}

function shell(dir: string, line: string): number {
  return command(dir, 'bash', '-c', line).ms;
}
