import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_RULE } from '../../src/core/policy/failure-rule.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import type { PostRecord } from '../../src/core/request/post-record.ts';
import type { RulebookRule } from '../../src/core/request/request-model.ts';
import {
  NO_RULEBOOK,
  type PostedAttempt,
  type PostStep,
  runPostStep,
} from '../../src/worker/post/post-step.ts';
import { readReportFile } from '../../src/worker/post/read-report-file.ts';

function makeDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-post-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const RULE: RulebookRule = { ...DEFAULT_RULE, reportCodes: [], message: null, holds: null, badItems: 'none' };

function run(dir: string, given: Partial<PostedAttempt>, more: Partial<PostStep> = {}) {
  return runPostStep({
    attempt: {
      node: 'a',
      run: 2,
      attempt: 3,
      outcome: outcome({ exit_code: 1 }),
      usage: null,
      started_at_ms: null,
      finished_at_ms: 1_700_000_000_000,
      site: 'north',
      schedd: null,
      hold_reason: null,
      items: [],
      failures_before: 0,
      max_retries: 3,
      memory_bytes: null,
      runtime_ms: null,
      report_path: join(dir, 'report'),
      stderr_path: join(dir, 'stderr'),
      ...given,
    },
    loadRulebook: async () => NO_RULEBOOK,
    settings: DEFAULT_ERROR_SETTINGS,
    directory: join(dir, 'records'),
    matcher: { match: async () => ({ found: [], unmatched: [], problem: '' }) },
    ...more,
  });
}

const recordIn = (dir: string, name = 'a.r2.a3.post.json') =>
  JSON.parse(readFileSync(join(dir, 'records', name), 'utf8')) as PostRecord;

describe('the report of a job', () => {
  test.each<[string, (path: string) => void, string | null]>([
    ['none', () => {}, null],
    ['a directory', (path) => mkdirSync(path), 'the report is not a file'],
    ['a pipe', (path) => spawnSync('mkfifo', [path]), 'the report is not a file'],
    [
      '100 MB',
      (path) => {
        writeFileSync(path, '{');
        truncateSync(path, 100_000_000);
      },
      'the report is over 1 MiB',
    ],
    ['no JSON', (path) => writeFileSync(path, 'oops'), 'the report is not JSON'],
    [
      '10,000 levels',
      (path) => writeFileSync(path, `${'['.repeat(10_000)}${']'.repeat(10_000)}`),
      'the report is nested more than 50 levels deep',
    ],
  ])('that is %s neither crashes nor waits', async (_, make, problem) => {
    const dir = makeDirectory();
    make(join(dir, 'report'));
    expect(await readReportFile(join(dir, 'report'))).toEqual({ report: null, problem });
    const { result } = await run(dir, {});
    expect(result).toMatchObject({ exit_code: 1, category: 'transient', problem });
    expect(recordIn(dir).problems).toEqual(problem === null ? [] : [problem]);
  });
});

describe('the record of an attempt', () => {
  test('is the same every time, and leaves nothing beside it', async () => {
    const dir = makeDirectory();
    writeFileSync(join(dir, 'stderr'), 'one\ntwo\n');
    const usage = { peak_rss_bytes: 3 * 1024 ** 2, cpu_seconds: 1.5 };
    const facts = { outcome: outcome({ signal: 'SIGSEGV' }), usage, started_at_ms: 1_699_999_998_000 };
    const first = await run(dir, facts);
    const text = readFileSync(join(dir, 'records', 'a.r2.a3.post.json'), 'utf8');
    expect(await run(dir, facts)).toEqual(first);
    expect(readdirSync(join(dir, 'records')).sort()).toEqual(['a.post.json', 'a.r2.a3.post.json']);
    for (const name of ['a.post.json', 'a.r2.a3.post.json']) {
      expect(readFileSync(join(dir, 'records', name), 'utf8')).toBe(text);
    }
    expect(recordIn(dir)).toMatchObject({
      timestamp: '2023-11-14T22:13:20.000Z',
      run: 2,
      attempt: 3,
      job: {
        exit_code: null,
        exit_signal: 'SIGSEGV',
        wall_time_sec: 2,
        cpu_time_sec: 1.5,
        memory_mb: 3,
        site: 'north',
      },
      log_tail: 'one\ntwo',
    });
  });

  test.each([
    ['no directory', (dir: string) => writeFileSync(join(dir, 'records'), ''), 'a'],
    ['a name with a path', () => {}, '../a'],
    ['a name that is too long', () => {}, 'ü'.repeat(150)],
  ])('that cannot be written costs no outcome: %s', async (_, prepare, node) => {
    const dir = makeDirectory();
    prepare(dir);
    const { result } = await run(dir, { node });
    expect(result).toMatchObject({
      exit_code: 1,
      category: 'transient',
      problem: expect.stringMatching(/^the post record was not written: /),
    });
    expect(readdirSync(dir).filter((name) => name !== 'records')).toEqual([]);
  });
});

test('a pattern that takes too long does not match, and is a problem', async () => {
  const dir = makeDirectory();
  writeFileSync(join(dir, 'stderr'), 'aaa');
  const rulebook = {
    name: 'r',
    rules: [
      { ...RULE, stderr: 'slow\x1b[2J', category: 'permanent' as const },
      { ...RULE, exitCodes: [[1, 1]] as [number, number][], category: 'infrastructure' as const },
    ],
  };
  const matcher = {
    match: async (patterns: string[]) => ({ found: [], unmatched: patterns, problem: 'takes more than 1 s' }),
  };
  const { result } = await run(dir, {}, { loadRulebook: async () => ({ rulebook, problem: null }), matcher });
  expect(result).toMatchObject({
    exit_code: 1,
    category: 'infrastructure',
    problem: 'stderr: the pattern "slow [2J" takes more than 1 s',
  });
});

test('a success needs no rules, and looks for no patterns', async () => {
  const dir = makeDirectory();
  const loadRulebook = () => Promise.reject(new Error('not needed'));
  const { result } = await run(dir, { outcome: outcome({ exit_code: 0 }) }, { loadRulebook });
  expect(result).toMatchObject({ exit_code: 0, category: null, problem: null });
});
