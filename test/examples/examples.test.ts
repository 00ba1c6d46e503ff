import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AttemptRecord, JobRecord } from '../../src/contract/records/records.ts';
import { runCli } from '../cli/run-cli.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');

interface Ran {
  code: number | null;
  stderr: string;
  jobs: JobRecord[];
  attempts: AttemptRecord[];
  log(job: string): Promise<string>;
}

async function runExample(file: string): Promise<Ran> {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  copyFileSync(join(EXAMPLES, file), join(cwd, file));
  const { code, stderr } = await runCli(['run', file], { cwd });
  const list = async (what: string) =>
    JSON.parse((await runCli([what, '1', '--output', 'json'], { cwd })).stdout || '[]');
  return {
    code,
    stderr,
    jobs: await list('jobs'),
    attempts: await list('attempts'),
    log: async (job) => (await runCli(['logs', '1', job], { cwd })).stdout,
  };
}

interface Expected {
  jobs: number;
  /** Match codes of the attempts that failed, by job. */
  recovered: Record<string, number[]>;
  /** What the last job says. */
  says: [job: string, text: string];
}

const EXPECTED: Record<string, Expected> = {
  'flaky-campaign.yaml': {
    jobs: 9,
    recovered: { simulate_2: [75], simulate_3: [3], simulate_4: [152], simulate_5: [139] },
    says: ['report', '6 walks, mean square distance 312\n'],
  },
  'recovery.yaml': {
    jobs: 6,
    recovered: { index: [10], reconstruct_2: [1], reconstruct_3: [152], check: [0] },
    says: ['publish', 'published 30 events\n'],
  },
  'sweep.yaml': { jobs: 9, recovered: {}, says: ['select', '200 0.30 2\n'] },
  'pipeline.json5': { jobs: 3, recovered: { fetch: [7] }, says: ['count', '      3 the\n'] },
  'steps.yaml': {
    jobs: 4,
    recovered: { notify: [69] },
    says: ['notify', "to #nightly: It's $(whoami) & friends (v2.10) total 16\n"],
  },
  'lab-05-retry.yaml': {
    jobs: 10,
    recovered: { fetch: [75], compile: [2], unit: [3], check: [69] },
    says: ['report', '3 platforms checked, 0 failed, coverage 93\n'],
  },
  'limits.yaml': { jobs: 8, recovered: {}, says: ['most_licences', 'at most 2 licences at a time\n'] },
  'user-data.yaml': {
    jobs: 5,
    recovered: {},
    says: ['report', `Unit #7, it's $(whoami) & "friends": 50 of 100 are above 50.5\n`],
  },
  'torc.kdl': {
    jobs: 6,
    recovered: { calibrate: [10] },
    says: ['report', '9 readings, sum 198\n'],
  },
  'barrier.yaml': { jobs: 17, recovered: {}, says: ['check', '8 of 8 exchanged\n'] },
};

test('every example is run here', () => {
  expect(
    readdirSync(EXAMPLES)
      .filter((name) => name.includes('.'))
      .sort(),
  ).toEqual(Object.keys(EXPECTED).sort());
});

describe.concurrent.each(Object.entries(EXPECTED))('%s', (file, expected) => {
  test('begins with what it shows', () => {
    const [first] = readFileSync(join(EXAMPLES, file), 'utf8').split('\n');
    expect(first).toMatch(/^(#|\/\/) [A-Z].*[.:,]$|^(#|\/\/) [A-Z].{40,}/);
  });

  // Most of their time they wait.
  test('completes, and recovers from exactly the failures it is about', async ({ expect }) => {
    const { code, stderr, jobs, attempts, log } = await runExample(file);
    expect(code, stderr).toBe(0);
    expect(jobs).toHaveLength(expected.jobs);
    expect(jobs.filter(({ status }) => status !== 'completed')).toEqual([]);
    const recovered: Record<string, (number | null)[]> = {};
    for (const { job_name, state, match_code } of attempts) {
      if (state !== 'SUCCEEDED') recovered[job_name] = [...(recovered[job_name] ?? []), match_code];
    }
    expect(recovered).toEqual(expected.recovered);
    const [job, text] = expected.says;
    expect(await log(job)).toContain(text);
  });
});
