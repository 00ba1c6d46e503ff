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
  const retry = await retryLateness();
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
      against: '',
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

async function retryLateness(): Promise<number> {
  return inTempDir((dir) => {
    const job = {
      name: 'j{i}',
      command: '[ "$HOLDFAST_ATTEMPT_ID" -gt 3 ]',
      parameters: { i: '1:5' },
      retry: { max_retries_failure: 3, initial_retry_delay_ms: 300, backoff_multiplier: 1.3 },
    };
    writeFileSync(join(dir, 'retry.json'), JSON.stringify({ name: 'retry', jobs: [job] }));
    holdfast(dir, 'run', 'retry.json', '--max-parallel', '8', '--output', 'quiet');
    const attempts = attemptsOf(dir);
    const late = attempts
      .filter((attempt) => attempt.attempt_id > 1)
      .map((attempt) => {
        const before = attempts.find(
          (a) => a.job_id === attempt.job_id && a.attempt_id === attempt.attempt_id - 1,
        )!;
        const wait = Math.round(300 * 1.3 ** (attempt.attempt_id - 2));
        return attempt.started_at_ms! - (before.finished_at_ms! + wait);
      });
    return percentile(late, 0.99);
  });
}
