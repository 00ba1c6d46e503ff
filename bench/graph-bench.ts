import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptRecord } from '../src/contract/records/records.ts';
import { type BenchLine, holdfast, inTempDir, median, percentile } from './measure.ts';

/** Chains, barriers, and how soon a dependent or a retry starts. */
export async function benchGraphs(): Promise<BenchLine[]> {
  const short = await chain(100);
  const long = await chain(1_000);
  const free = await stages(false);
  const barriers = await stages(true);
  // At different times, as those of real jobs; and together, as after an outage.
  const apart = await retryLateness(
    Array.from({ length: 10 }, (_, index) => 150 + 37 * index),
    20,
  );
  const together = await retryLateness(Array<number>(5).fill(300), 3);
  const retry = percentile(apart, 0.99);
  const chainRatio = long.perStep / short.perStep;
  const barrierRatio = barriers / free;
  return [
    {
      name: '1,000-step chain, per step',
      value: long.perStep,
      unit: 'ms',
      ratio: chainRatio,
      against: `100 steps: ${short.perStep.toFixed(2)} ms`,
      aim: '<= 1.1',
      met: chainRatio <= 1.1,
    },
    {
      name: 'dependent after its dependency, p99',
      value: long.gapP99,
      unit: 'ms',
      ratio: null,
      against: `median ${long.gapMedian.toFixed(0)} ms`,
      aim: '<= 5 ms, median <= 2 ms',
      met: long.gapP99 <= 5 && long.gapMedian <= 2,
    },
    {
      name: 'retry after its due time, p99',
      value: retry,
      unit: 'ms',
      ratio: null,
      against: `median ${median(apart).toFixed(0)} ms of ${apart.length}; five at once: ${Math.max(...together)} ms`,
      aim: '<= 5 ms',
      met: retry <= 5,
    },
    {
      name: 'five stages of 1,000 with barriers, per job',
      value: barriers,
      unit: 'ms',
      ratio: barrierRatio,
      against: `without: ${free.toFixed(2)} ms`,
      aim: '<= 1.1',
      met: barrierRatio <= 1.1,
    },
  ];
}

function attemptsOf(dir: string): AttemptRecord[] {
  return JSON.parse(holdfast(dir, 'attempts', '--output', 'json').stdout) as AttemptRecord[];
}

/** From the first start to the last end, so that the start of the program does not count. */
function spanOf(attempts: AttemptRecord[]): number {
  return (
    Math.max(...attempts.map((a) => a.finished_at_ms!)) - Math.min(...attempts.map((a) => a.started_at_ms!))
  );
}

async function chain(steps: number): Promise<{ perStep: number; gapMedian: number; gapP99: number }> {
  return inTempDir((dir) => {
    const jobs = Array.from({ length: steps }, (_, index) => ({
      name: `s${index}`,
      command: 'true',
      ...(index > 0 ? { depends_on: [`s${index - 1}`] } : {}),
    }));
    writeFileSync(join(dir, 'chain.json'), JSON.stringify({ name: 'chain', jobs }));
    holdfast(dir, 'run', 'chain.json', '--output', 'quiet');
    const attempts = attemptsOf(dir).sort((a, b) => a.started_at_ms! - b.started_at_ms!);
    const gaps = attempts
      .slice(1)
      .map((attempt, index) => attempt.started_at_ms! - attempts[index]!.finished_at_ms!);
    return { perStep: spanOf(attempts) / steps, gapMedian: median(gaps), gapP99: percentile(gaps, 0.99) };
  });
}

async function stages(barriers: boolean): Promise<number> {
  return inTempDir((dir) => {
    const jobs = Array.from({ length: 5 }, (_, stage) => ({
      name: `s${stage}_{i}`,
      command: 'true',
      parameters: { i: '1:1000' },
      ...(barriers && stage > 0 ? { depends_on_regexes: [`s${stage - 1}_.*`] } : {}),
    }));
    writeFileSync(join(dir, 'stages.json'), JSON.stringify({ name: 'stages', jobs }));
    holdfast(dir, 'run', 'stages.json', '--max-parallel', '2', '--output', 'quiet');
    return spanOf(attemptsOf(dir)) / 5_000;
  });
}

/** How late retries start, of jobs with these delays. */
async function retryLateness(delays: readonly number[], retries: number): Promise<number[]> {
  return inTempDir((dir) => {
    const jobs = delays.map((delay, index) => ({
      name: `j${index}`,
      command: `[ "$HOLDFAST_ATTEMPT_ID" -gt ${retries} ]`,
      retry: { max_retries_failure: retries, initial_retry_delay_ms: delay, backoff_multiplier: 1 },
    }));
    writeFileSync(join(dir, 'retry.json'), JSON.stringify({ name: 'retry', jobs }));
    holdfast(dir, 'run', 'retry.json', '--max-parallel', '16', '--output', 'quiet');
    const attempts = new Map(
      attemptsOf(dir).map((attempt) => [`${attempt.job_name} ${attempt.attempt_id}`, attempt]),
    );
    return delays.flatMap((delay, index) =>
      Array.from({ length: retries }, (_, retry) => {
        const [before, after] = [1, 2].map((more) => attempts.get(`j${index} ${retry + more}`)!);
        return after!.started_at_ms! - (before!.finished_at_ms! + delay);
      }),
    );
  });
}
