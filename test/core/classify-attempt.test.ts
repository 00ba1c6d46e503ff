import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_RULE } from '../../src/core/policy/failure-rule.ts';
import { type AttemptFacts, classifyAttempt } from '../../src/core/request/classify-attempt.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import { type JobReport, mentionedIn, parseJobReport } from '../../src/core/request/job-report.ts';
import { logTail, nodeNameProblem } from '../../src/core/request/post-record.ts';
import type { RulebookRule } from '../../src/core/request/request-model.ts';

const GIB = 1024 ** 3;

const RULE: RulebookRule = { ...DEFAULT_RULE, reportCodes: [], message: null, holds: null, badItems: 'none' };
const rules = (...some: Partial<RulebookRule>[]) => ({
  name: 'rules.yaml',
  rules: some.map((rule) => ({ ...RULE, ...rule })),
});

/** The rulebook of the design. */
const BOOK = rules(
  {
    reportCodes: [
      [8021, 8021],
      [8028, 8028],
    ],
    category: 'data',
    badItems: 'reported',
  },
  { exitCodes: [[65, 67]], category: 'permanent' },
  { reportCodes: [[50660, 50660]], memory: { factor: 1.5, value: null, maximum: 8 * GIB } },
  { stderr: 'No space left|HTTP 507', category: 'infrastructure', delayMs: 120_000 },
  { reportCodes: [[8001, 8001]], message: 'site-local-config', category: 'infrastructure' },
  { holds: 'disk', category: 'permanent' },
);

const REPORT: JobReport = {
  exit_code: null,
  error_message: null,
  steps: {},
  input_files: [],
  bad_input_files: null,
  output_files: [],
  performance: {},
};
const report = (given: Partial<JobReport>): JobReport => ({ ...REPORT, ...given });

function facts(given: Partial<AttemptFacts>): AttemptFacts {
  return {
    outcome: outcome({ exit_code: 1 }),
    report: null,
    hold_reason: null,
    items: [],
    failures_before: 0,
    max_retries: 3,
    memory_bytes: 2 * GIB,
    runtime_ms: null,
    ...given,
    found: { stderr: [], message: [], holds: [], ...given.found },
  };
}

const classify = (given: Partial<AttemptFacts>, book = BOOK, settings = {}) =>
  classifyAttempt(facts(given), book, { ...DEFAULT_ERROR_SETTINGS, ...settings });

const FILES = ['/store/data/file_001.root', '/store/data/file_002.root'];

describe('an attempt is classified', () => {
  test.each<[string, Partial<AttemptFacts>, object]>([
    [
      'success',
      { outcome: outcome({ exit_code: 0 }) },
      { exit_code: 0, final: true, classification: { category: null, action: 'success', retryable: false } },
    ],
    [
      'success with a report of code 0',
      { outcome: outcome({ exit_code: 0 }), report: report({ exit_code: 0 }) },
      { exit_code: 0, classification: { category: null } },
    ],
    [
      'exit 0 with another report code: transient',
      { outcome: outcome({ exit_code: 0 }), report: report({ exit_code: 9 }) },
      {
        exit_code: 1,
        final: false,
        sentence: 'exit 0, report code 9: transient (no rule matches), retry 1 of 3',
        classification: { category: 'transient', action: 'retry', retryable: true, rule: null },
      },
    ],
    ['any other exit code: transient', { outcome: outcome({ exit_code: 7 }) }, { exit_code: 1 }],
    [
      'a code of the report beyond 255',
      {
        report: report({ exit_code: 8021, error_message: `FileReadError: Unable to read ${FILES[0]}` }),
        items: FILES,
      },
      {
        exit_code: 42,
        final: true,
        bad_inputs: [FILES[0]],
        sentence: `exit 1, report code 8021: data (rule 1), not retried; bad inputs: ${FILES[0]}`,
        classification: {
          category: 'data',
          retryable: false,
          action: 'permanent_failure',
          rule: 1,
          bad_input_files: [FILES[0]],
        },
      },
    ],
    ...[65, 66, 67].map((code): [string, Partial<AttemptFacts>, object] => [
      `exit ${code}: permanent`,
      { outcome: outcome({ exit_code: code }) },
      { exit_code: 42, final: true, classification: { category: 'permanent', rule: 2 }, bad_inputs: [] },
    ]),
    [
      'the memory code: half as much again',
      { report: report({ exit_code: 50660 }) },
      {
        exit_code: 1,
        memory_bytes: 3 * GIB,
        classification: { category: 'transient', rule: 3, retryable: true },
      },
    ],
    [
      'the memory code: never beyond the cap',
      { report: report({ exit_code: 50660 }), memory_bytes: 7 * GIB },
      { memory_bytes: 8 * GIB },
    ],
    [
      'a pattern in stderr: infrastructure, with its delay',
      { found: { stderr: ['No space left|HTTP 507'], message: [], holds: [] } },
      { exit_code: 1, delay_ms: 120_000, classification: { category: 'infrastructure', rule: 4 } },
    ],
    [
      'a code and a pattern in the message, both',
      {
        report: report({ exit_code: 8001 }),
        found: { stderr: [], message: ['site-local-config'], holds: [] },
      },
      { exit_code: 1, classification: { category: 'infrastructure', rule: 5 } },
    ],
    [
      'the code without the pattern',
      { report: report({ exit_code: 8001 }) },
      { classification: { category: 'transient', rule: null } },
    ],
    [
      'held: infrastructure',
      { outcome: outcome({}), hold_reason: 'The job attribute PeriodicHold is true' },
      { exit_code: 1, classification: { category: 'infrastructure', rule: null } },
    ],
    [
      'held for a reason that a rule knows',
      { outcome: outcome({}), hold_reason: 'disk', found: { stderr: [], message: [], holds: ['disk'] } },
      { exit_code: 42, classification: { category: 'permanent', rule: 6 } },
    ],
    [
      'out of memory: transient',
      { outcome: outcome({ oom: true }) },
      { classification: { category: 'transient' } },
    ],
    [
      'timed out: transient',
      { outcome: outcome({ timed_out: true }) },
      { classification: { category: 'transient' } },
    ],
    [
      'never started: infrastructure',
      { outcome: outcome({ spawn_error: 'no such file' }) },
      { exit_code: 1, classification: { category: 'infrastructure' } },
    ],
    [
      'missing outputs: a failure',
      { outcome: outcome({ exit_code: 0, missing_outputs: ['a.root'] }) },
      { exit_code: 1, final: false, classification: { category: 'transient' } },
    ],
  ])('%s', (_, given, expected) => {
    expect(classify(given)).toMatchObject(expected);
  });

  test.each([
    [
      'accept',
      {},
      { exit_code: 0, final: true, classification: { action: 'absorbed', category: 'transient' } },
    ],
    [
      'fail',
      {},
      { exit_code: 42, final: true, classification: { action: 'permanent_failure', category: 'permanent' } },
    ],
    ['abort', {}, { exit_code: 43, final: true, classification: { action: 'abort', category: 'transient' } }],
    ['retry', {}, { exit_code: 1, final: false, classification: { action: 'retry' } }],
    ['ask', {}, { exit_code: 1, final: false, classification: { action: 'retry' } }],
    ['fail', { category: 'data' as const }, { exit_code: 42, classification: { category: 'data' } }],
    [
      'fail',
      { category: 'infrastructure' as const },
      { exit_code: 42, classification: { category: 'permanent' } },
    ],
  ] as const)('by the verdict %s of a rule %j', (verdict, more, expected) => {
    expect(classify({}, rules({ exitCodes: [[1, 1]], verdict, ...more }))).toMatchObject(expected);
  });

  test('by the first rule that matches, an observing one passed over', () => {
    const book = rules(
      { exitCodes: [[1, 1]], category: 'permanent', mode: 'observe' },
      { matchAllExitCodes: true, category: 'permanent' },
      { exitCodes: [[1, 1]], category: 'infrastructure' },
      { exitCodes: [[1, 1]], category: 'permanent' },
    );
    expect(classify({}, book).classification).toMatchObject({ rule: 3, category: 'infrastructure' });
    expect(classify({ outcome: outcome({ exit_code: 2 }) }, book).classification).toMatchObject({ rule: 2 });
  });

  test('no rule makes a failure of a success', () => {
    const book = rules({ matchAllExitCodes: true, category: 'permanent' });
    const success = { outcome: outcome({ exit_code: 0 }) };
    expect(classify(success, book)).toMatchObject({ exit_code: 0, classification: { action: 'success' } });
  });

  test('with the exit codes of the settings', () => {
    const settings = { unless_exit_code: 77, abort_dag_code: 78 };
    expect(classify({ outcome: outcome({ exit_code: 65 }) }, BOOK, settings).exit_code).toBe(77);
    expect(classify({}, rules({ exitCodes: [[1, 1]], verdict: 'abort' }), settings).exit_code).toBe(78);
    expect(classify({}, BOOK, { unless_exit_code: 1 }).exit_code).toBe(2);
  });

  test.each([
    [0, 3, false, 'retry', 'retry 1 of 3'],
    [2, 3, false, 'retry', 'retry 3 of 3'],
    [3, 3, true, 'retries_exhausted', 'no retries left (3 of 3 used)'],
    [0, 0, true, 'retries_exhausted', 'no retries allowed'],
  ])('after %i failures of %i: final %j', (failures_before, max_retries, final, action, words) => {
    const classified = classify({ failures_before, max_retries });
    expect(classified).toMatchObject({ final, exit_code: 1, classification: { action, retryable: true } });
    expect(classified.sentence).toContain(words);
  });

  test('in one line that moves no cursor', () => {
    const { sentence } = classify({ outcome: outcome({}), hold_reason: 'full\x1b[2J\x1b]0;owned\x07\nnext' });
    expect(sentence).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  });
});

describe('bad items', () => {
  const of = (badItems: RulebookRule['badItems'], given: Partial<AttemptFacts>) =>
    classify(given, rules({ exitCodes: [[1, 1]], category: 'data', badItems })).bad_inputs;

  test('are those that the report names', () => {
    expect(of('reported', { report: report({ bad_input_files: ['x'] }), items: FILES })).toEqual(['x']);
  });

  test('or those of its input files that its message names', () => {
    const input_files = ['/a/one.root', '/a/two.root'];
    const given = report({ input_files, error_message: 'cannot open root://host.org/a/two.root.' });
    expect(of('reported', { report: given, items: FILES })).toEqual(['/a/two.root']);
  });

  test('or, without input files, those of the items', () => {
    const given = report({ error_message: 'checksum of file_002.root differs' });
    expect(of('reported', { report: given, items: FILES })).toEqual([FILES[1]]);
    expect(of('reported', { report: report({}), items: FILES })).toEqual([]);
    expect(of('reported', { items: FILES })).toEqual([]);
  });

  test('are all of them, or none', () => {
    expect(of('all', { items: FILES })).toEqual(FILES);
    expect(of('all', { report: report({ input_files: FILES }) })).toEqual(FILES);
    expect(of('none', { report: report({ bad_input_files: ['x'] }), items: FILES })).toEqual([]);
  });

  test.each([
    ['file_1 is bad', ['file_1', 'file_10'], ['file_1']],
    ['file_10 is bad', ['file_1', 'file_10'], ['file_10']],
    ['/b/x.root is bad', ['/a/x.root', '/b/x.root'], ['/b/x.root']],
    ['x.root.bak is bad', ['/a/x.root'], []],
    ['my_x.root is bad', ['/a/x.root'], []],
    ['nothing', [''], []],
  ])('%s: of %j it is %j', (text, items, expected) => {
    expect(mentionedIn(text, items)).toEqual(expected);
  });
});

describe('the report of a job', () => {
  test('is read as far as it can be used', () => {
    const text = JSON.stringify({
      exit_code: '8021',
      input_files: [1],
      steps: { a: { status: 1 } },
      more: true,
    });
    expect(parseJobReport(text)).toEqual({
      report: report({ steps: { a: { status: 1 } } }),
      problem: 'the report has values that cannot be used: exit_code, input_files',
    });
  });

  test.each([
    ['{', 'the report is not JSON'],
    ['[]', 'the report is not a JSON object'],
    ['', 'the report is not JSON'],
    [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'the report is nested more than 50 levels deep'],
    [
      `{"steps":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
      'the report is nested more than 50 levels deep',
    ],
  ])('%.20s… is a problem, not a crash', (text, problem) => {
    expect(parseJobReport(text)).toEqual({ report: null, problem });
  });

  test('may have brackets in its texts', () => {
    const error_message = `${'['.repeat(1000)}"\\`;
    expect(parseJobReport(JSON.stringify({ error_message })).report).toEqual(report({ error_message }));
  });
});

test('the tail of a log is its last 200 lines', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);
  expect(logTail(`${lines.join('\n')}\n`).split('\n')).toEqual(lines.slice(100));
  expect(logTail('')).toBe('');
});

test.each(['', '.', '..', 'a/b', '../x', 'a\\b', 'a\nb', 'x'.repeat(201)])(
  '%j is no name of a node',
  (name) => {
    expect(nodeNameProblem(name)).toEqual(expect.any(String));
  },
);

test.each(['proc_000001', 'p@list[0]', '...', 'ünï'])('%j is a name of a node', (name) => {
  expect(nodeNameProblem(name)).toBeNull();
});
