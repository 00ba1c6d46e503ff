import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchLine, command, holdfast, inTempDir, isInstalled, median } from './measure.ts';

const JOBS = 2_000;
const PARALLEL = 2;
const ROUNDS = 3;

/** Trivial jobs, every attempt durable, against tools that remember nothing; all run the same `bash FILE`. */
export async function benchThroughput(): Promise<BenchLine[]> {
  return inTempDir((dir) => {
    writeFileSync(
      join(dir, 'sweep.yaml'),
      `name: sweep\njobs:\n  - name: job_{i}\n    command: "true"\n    parameters: { i: "1:${JOBS}" }\n`,
    );
    mkdirSync(join(dir, 'scripts'));
    const scripts = Array.from({ length: JOBS }, (_, index) => `scripts/${index}.sh`);
    for (const script of scripts) writeFileSync(join(dir, script), 'true');
    writeFileSync(join(dir, 'list'), `${scripts.join('\n')}\n`);

    const rivals: [string, () => number][] = [
      ['xargs -P2', () => shell(dir, `xargs -P${PARALLEL} -n1 bash < list`)],
    ];
    if (isInstalled('parallel'))
      rivals.push(['GNU parallel', () => shell(dir, `parallel -j${PARALLEL} bash < list`)]);
    if (isInstalled('make')) {
      const targets = scripts.map((script) => `${script}.done:\n\tbash ${script}`);
      writeFileSync(
        join(dir, 'Makefile'),
        `all: ${scripts.map((script) => `${script}.done`).join(' ')}\n${targets.join('\n')}\n`,
      );
      rivals.push(['make -j2', () => shell(dir, `make -s -j${PARALLEL}`)]);
    }
    if (isInstalled('snakemake')) {
      writeFileSync(
        join(dir, 'Snakefile'),
        `rule all:\n  input: expand("done/{i}", i=range(${JOBS}))\nrule one:\n  output: "done/{i}"\n  shell: "true; touch {output}"\n`,
      );
      rivals.push(['snakemake -j2', () => shell(dir, `rm -rf done; snakemake -q -j${PARALLEL}`)]);
    }

    // Interleaved, so that a busy moment of the machine touches all of them.
    const ours: number[] = [];
    const theirs = new Map<string, number[]>(rivals.map(([name]) => [name, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, run] of rivals) theirs.get(name)!.push(run());
      ours.push(
        holdfast(dir, 'run', 'sweep.yaml', '--max-parallel', String(PARALLEL), '--output', 'quiet').ms,
      );
    }
    return rivals.map(([name]) => {
      const ratio = median(theirs.get(name)!) / median(ours);
      const aim = name.startsWith('xargs') ? 0.6 : 1;
      return {
        name: `${JOBS} trivial jobs, whole command`,
        value: median(ours) / JOBS,
        unit: 'ms/job',
        ratio,
        against: `${name}: ${(median(theirs.get(name)!) / JOBS).toFixed(2)} ms/job`,
        aim: name.startsWith('make') ? '' : `>= ${aim}`,
        met: name.startsWith('make') ? null : ratio >= aim,
      };
    });
  });
}

function shell(dir: string, line: string): number {
  return command(dir, 'bash', '-c', line).ms;
}
