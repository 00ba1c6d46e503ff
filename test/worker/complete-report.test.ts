import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FinishReport } from '../../src/contract/records/exchange.ts';
import { describeOutcome, outcome } from '../../src/core/job/outcome.ts';
import type { JobConfig } from '../../src/core/model/workflow-model.ts';
import { attemptFiles } from '../../src/worker/execute/spawn-order.ts';
import { completeReport } from '../../src/worker/observe/complete-report.ts';
import { PatternMatcher } from '../../src/worker/observe/pattern-matcher.ts';
import { claimOf } from './claims.ts';

/** What is reported of an attempt that exited, with 0 unless given, after it had written this. */
async function reported(stdout: string, config: Partial<JobConfig>, exitCode = 0): Promise<FinishReport> {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-report-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const claim = claimOf({ cwd, config: { output: 'auto', ...config } });
  const { stdoutPath } = attemptFiles(claim, cwd);
  mkdirSync(dirname(stdoutPath), { recursive: true });
  writeFileSync(stdoutPath, stdout);
  const report: FinishReport = {
    token: claim.token,
    started_at_ms: 1,
    finished_at_ms: 2,
    outcome: outcome({ exit_code: exitCode }),
    usage: null,
  };
  const matcher = new PatternMatcher();
  await completeReport(claim, report, cwd, matcher);
  await matcher.stop();
  return report;
}

test.each([
  ['7', 'a number'],
  ['{"items": []}', 'an object'],
  ['a b c', 'text'],
  ['', 'text'],
  ['null', 'null'],
  ['true', 'true or false'],
  [JSON.stringify(['x'.repeat(1024 * 1024)]), 'over 1 MiB'],
])('a forEach step that puts out no list fails and says what it is: %#', async (stdout, kind) => {
  const { outcome: facts, output } = await reported(stdout, { for_each: true });
  expect(describeOutcome(facts)).toBe(`exit 0, but missing a list on stdout (forEach): it is ${kind}`);
  expect(output).toBeUndefined();
});

test('a forEach step that puts out a list succeeds with it, also with an empty one and with lines', async () => {
  expect(await reported('["a", {"b": 1}]\n', { for_each: true })).toMatchObject({
    output: ['a', { b: 1 }],
    outcome: { missing_outputs: [] },
  });
  expect((await reported('[]', { for_each: true })).output).toEqual([]);
  expect((await reported('a\nb\n', { for_each: true, output: 'lines' })).output).toEqual(['a', 'b']);
});

test('lines that do not all fit are no list: items would be missing without a word', async () => {
  const { outcome: facts } = await reported('line\n'.repeat(300_000), { for_each: true, output: 'lines' });
  expect(facts.missing_outputs).toEqual(['a list on stdout (forEach): it is over 1 MiB']);
});

test('what a step without forEach puts out need not be a list', async () => {
  expect((await reported('7', {})).output).toBe(7);
});

const post = {
  kind: 'command',
  command: 'true',
  timeout_ms: 1000,
  permanent_code: 42,
  abort_code: 43,
  items: [],
} as const satisfies JobConfig['post'];

test('what a failure put out is reported where a post script or a rule may accept it', async () => {
  expect((await reported('7', { post }, 3)).output).toBe(7);
  expect((await reported('7', { failure_handler: 'h' }, 3)).output).toBe(7);
  expect((await reported('7', {}, 3)).output).toBeUndefined();
});

test('an output that a failure lacks is not one more thing that is wrong with it', async () => {
  const { outcome: facts, output } = await reported('text', { post, for_each: true }, 3);
  expect(facts.missing_outputs).toEqual([]);
  expect(output).toBeUndefined();
});
