import { spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptRecord } from '../src/contract/records/records.ts';
import { type BenchLine, holdfast, inTempDir, median } from './measure.ts';

/** What steps, jumps and items cost. */
export async function benchRouting(): Promise<BenchLine[]> {
  const bare = await bareSpawns(200);
  const short = await stepChain(100);
  const long = await stepChain(1_000);
  const loops = await gotoLoop(500);
  const few = await forEach(1_000);
  const many = await forEach(10_000);
  const beyond = short - bare;
  return [
    {
      name: 'step of a 100-step chain, beyond spawning it',
      value: beyond,
      unit: 'ms',
      ratio: null,
      against: `${short.toFixed(2)} ms a step, ${bare.toFixed(2)} ms a bare spawn`,
      aim: '<= 2 ms',
      met: beyond <= 2,
    },
    {
      name: '1,000-step chain of steps, per step',
      value: long,
      unit: 'ms',
      ratio: long / short,
      against: `100 steps: ${short.toFixed(2)} ms`,
      aim: '<= 1.2',
      met: long / short <= 1.2,
    },
    {
      name: '500 goto iterations of two steps',
      value: loops,
      unit: 's',
      ratio: null,
      against: `${((loops / 500) * 1000).toFixed(1)} ms each`,
      aim: '< 4 s',
      met: loops < 4,
    },
    {
      name: 'forEach over 10,000 items, per item',
      value: many,
      unit: 'ms',
      ratio: many / few,
      against: `1,000 items: ${few.toFixed(2)} ms`,
      aim: '<= 1.2',
      met: many / few <= 1.2,
    },
  ];
}

/** The same command with two log files, one after another, and nothing else. */
async function bareSpawns(count: number): Promise<number> {
  return inTempDir(async (dir) => {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      const start = performance.now();
      const logs = ['o', 'e'].map((end) => openSync(join(dir, `${index}.${end}`), 'w'));
      const child = spawn('bash', ['-c', 'true'], { stdio: ['ignore', logs[0]!, logs[1]!] });
      await new Promise((resolve) => child.once('exit', resolve));
      times.push(performance.now() - start);
    }
    return median(times);
  });
}

/** From the first start to the last end, so that the start of the program does not count. */
function span(dir: string): number {
  const attempts = JSON.parse(holdfast(dir, 'attempts', '--output', 'json').stdout) as AttemptRecord[];
  const starts = attempts.flatMap(({ started_at_ms }) => started_at_ms ?? []);
  const ends = attempts.flatMap(({ finished_at_ms }) => finished_at_ms ?? []);
  return ends.reduce((a, b) => Math.max(a, b)) - starts.reduce((a, b) => Math.min(a, b));
}

/** Milliseconds per step. */
export async function stepChain(count: number): Promise<number> {
  return inTempDir((dir) => {
    const steps = Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, { exec: 'true' }]));
    writeFileSync(join(dir, 'chain.json'), JSON.stringify({ version: '2.0', steps }));
    holdfast(dir, 'run', 'chain.json', '--output', 'quiet');
    return span(dir) / count;
  });
}

async function gotoLoop(count: number): Promise<number> {
  return inTempDir((dir) => {
    const steps = {
      a: { exec: 'true' },
      b: {
        exec: `[ "$HOLDFAST_ATTEMPT_ID" -gt ${count} ]`,
        depends_on: ['a'],
        on_fail: { goto: 'a' },
      },
    };
    writeFileSync(
      join(dir, 'loop.json'),
      JSON.stringify({ version: '2.0', routing: { max_loops: count }, steps }),
    );
    holdfast(dir, 'run', 'loop.json', '--output', 'quiet');
    return span(dir) / 1000;
  });
}

async function forEach(items: number): Promise<number> {
  return inTempDir((dir) => {
    const steps = {
      list: { exec: `seq 1 ${items}`, output: 'lines', forEach: true },
      item: { exec: 'true', depends_on: ['list'] },
      join: { exec: 'true', depends_on: ['item'], fanout: 'reduce' },
    };
    writeFileSync(join(dir, 'items.json'), JSON.stringify({ version: '2.0', steps }));
    holdfast(dir, 'run', 'items.json', '--max-parallel', '2', '--output', 'quiet');
    return span(dir) / items;
  });
}
