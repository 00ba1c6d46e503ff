import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FinishReport } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { attemptFiles } from '../../src/worker/execute/spawn-order.ts';
import { completeReport } from '../../src/worker/observe/complete-report.ts';
import { PatternMatcher } from '../../src/worker/observe/pattern-matcher.ts';
import { claimOf } from './claims.ts';

/** Takes more than 20 s on the text below. */
const SLOW = '(?:[ab]?){1000}[cd]';
const TAIL = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
const TEXT = 'ab'.repeat(128 * 1024);

function matcher(): PatternMatcher {
  const made = new PatternMatcher();
  onTestFinished(() => made.stop());
  return made;
}

test('finds patterns without holding up the calling thread, and gives up on slow ones', async () => {
  const patterns = matcher();
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 5);
  onTestFinished(() => clearInterval(turning));
  const slow = patterns.match(['b{3}', 'a', SLOW, 'b'], TEXT);
  // One that comes later waits for its turn, and is not hurt.
  const other = patterns.match(['^x+$', 'y'], 'xxx');
  expect(await slow).toMatchObject({ found: ['a'], unmatched: [SLOW, 'b'], problem: 'takes more than 1 s' });
  expect(turns).toBeGreaterThan(10);
  expect(await other).toMatchObject({ found: ['^x+$'], unmatched: [] });
});

test('a pattern that cannot be matched at all ends nothing else', async () => {
  const patterns = matcher();
  expect(await patterns.match(['('], 'x')).toMatchObject({
    found: [],
    unmatched: ['('],
    problem: expect.stringContaining('cannot be matched: '),
  });
  expect(await patterns.match(['x'], 'x')).toMatchObject({ found: ['x'], unmatched: [] });
});

test('a slow pattern is an evaluation failure of the report, which says which one it was', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-patterns-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const claim = { ...claimOf({ cwd }), stderr_patterns: ['ab', SLOW, 'x', 'y'] };
  const { stderrPath } = attemptFiles(claim, cwd);
  mkdirSync(dirname(stderrPath), { recursive: true });
  writeFileSync(stderrPath, `not seen\n${TAIL}`);
  const report: FinishReport = {
    token: claim.token,
    started_at_ms: 1,
    finished_at_ms: 2,
    outcome: outcome({ exit_code: 1 }),
    usage: null,
  };
  const asked: string[] = [];
  const slow = {
    match: async (patterns: string[], text: string) => {
      asked.push(text);
      return { found: ['ab'], unmatched: patterns.slice(1), problem: 'takes more than 1 s', ms: 1000 };
    },
  };
  await completeReport(claim, report, cwd, slow as PatternMatcher);
  // The last 200 lines.
  expect(asked).toEqual([TAIL]);
  expect(report.stderr_matches).toEqual(['ab']);
  const problem = `stderr: the pattern "${SLOW}" takes more than 1 s (2 more not tried)`;
  expect(report.evaluations).toMatchObject([{ key: 'stderr', result: { ok: false, problem } }]);
});
