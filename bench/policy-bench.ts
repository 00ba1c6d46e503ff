import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptRecord } from '../src/contract/records/records.ts';
import { outcome } from '../src/core/job/outcome.ts';
import { DEFAULT_POST_CODES } from '../src/core/job/post-result.ts';
import { decide } from '../src/core/policy/decide.ts';
import { type Ended, type History, NO_HISTORY, PLAIN_END, type Policy } from '../src/core/policy/decision.ts';
import { DEFAULT_RULE, type FailureRule } from '../src/core/policy/failure-rule.ts';
import { DEFAULT_RETRY } from '../src/core/policy/retry-policy.ts';
import { type BenchLine, holdfast, inTempDir, median } from './measure.ts';

const DECISIONS = 1_000_000;
const STORM_JOBS = 1_000;

/** What a decision costs, and whether failing costs more than running. */
export async function benchPolicy(): Promise<BenchLine[]> {
  const perDecision = decisionMicroseconds();
  // Interleaved, so that a busy moment of the machine touches both.
  const plains: number[] = [];
  const storms: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    plains.push(await perAttempt(STORM_JOBS * 4, 1));
    storms.push(await perAttempt(STORM_JOBS, 4));
  }
  const plain = median(plains);
  const storm = median(storms);
  const ratio = storm / plain;
  return [
    {
      name: 'decide, 1,000,000 random cases',
      value: perDecision,
      unit: 'µs each',
      ratio: null,
      against: '',
      aim: '< 5 µs',
      met: perDecision < 5,
    },
    {
      name: '1,000 jobs that fail three times, per attempt',
      value: storm,
      unit: 'ms',
      ratio,
      against: `4,000 plain jobs: ${plain.toFixed(2)} ms`,
      aim: '<= 1.3',
      met: ratio <= 1.3,
    },
  ];
}

function decisionMicroseconds(): number {
  let seed = 42;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  const rule = (code: number): FailureRule => ({
    ...DEFAULT_RULE,
    exitCodes: [[code, code + random(5)]],
    maxRetries: 1 + random(4),
    delayMs: random(1000),
    mode: random(4) === 0 ? 'observe' : 'act',
  });
  const cases = Array.from({ length: 10_000 }, (): [Ended, Policy, History] => [
    {
      outcome: outcome(random(10) === 0 ? { lost: true } : { exit_code: random(20) }),
      attemptId: 1 + random(5),
      startedAt: 0,
      finishedAt: 1000,
      seed: random(1000),
      ...PLAIN_END,
      post: null,
      stderrMatches: [],
    },
    {
      handler: random(2) === 0 ? null : { name: 'h', rules: [rule(random(20)), rule(random(20))] },
      retry: { ...DEFAULT_RETRY, max_retries_failure: random(4) },
      deadlineMs: null,
      usePendingFailed: random(2) === 0,
      memoryBytes: null,
      runtimeMs: null,
      routes: null,
      postCodes: DEFAULT_POST_CODES,
    },
    { ...NO_HISTORY, failures: random(4), preemptions: random(4), lossesInRow: random(4), firstStartedAt: 0 },
  ]);
  const start = performance.now();
  for (let n = 0; n < DECISIONS; n += 1) decide(...cases[n % cases.length]!);
  return ((performance.now() - start) * 1000) / DECISIONS;
}

/** Jobs that succeed with the given attempt; from the first start to the last end. */
async function perAttempt(jobs: number, attempts: number): Promise<number> {
  return inTempDir((dir) => {
    const job = {
      name: 'j{i}',
      command: `[ "$HOLDFAST_ATTEMPT_ID" -ge ${attempts} ]`,
      parameters: { i: `1:${jobs}` },
      retry: { max_retries_failure: 3, initial_retry_delay_ms: 0 },
    };
    writeFileSync(join(dir, 'storm.json'), JSON.stringify({ name: 'storm', jobs: [job] }));
    holdfast(dir, 'run', 'storm.json', '--max-parallel', '2', '--output', 'quiet');
    const records = JSON.parse(holdfast(dir, 'attempts', '--output', 'json').stdout) as AttemptRecord[];
    const first = Math.min(...records.map((record) => record.started_at_ms!));
    const last = Math.max(...records.map((record) => record.finished_at_ms!));
    return (last - first) / records.length;
  });
}
