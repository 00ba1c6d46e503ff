import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../src/spec/problem.ts';
import { loadRulebook } from '../../src/spec/request/load-rulebook.ts';

const read = (rules: string) => {
  const loaded = loadRulebook(rules, 'rules.yaml');
  return loaded.ok ? loaded : { ok: false as const, problems: loaded.problems.map(formatProblem) };
};

describe('a rulebook', () => {
  test('has the rules of a failure handler, and what reports and items need', () => {
    const result = read(`rules:
  - { report_codes: [8021, "8028-8030"], category: data, bad_items: reported }
  - { exit_codes: [65], category: permanent }
  - { report_codes: [50660], memory: x1.5, max_memory: 8g }
  - { stderr: 'No space left', delay: 2m }
  - { message: site-local, holds: disk, delay: 5 }
`);
    if (!result.ok) throw new Error(result.problems.join('\n'));
    expect(result.rulebook).toMatchObject({
      name: 'rules.yaml',
      rules: [
        {
          reportCodes: [
            [8021, 8021],
            [8028, 8030],
          ],
          category: 'data',
          badItems: 'reported',
          message: null,
        },
        { exitCodes: [[65, 65]], category: 'permanent', badItems: 'reported', reportCodes: [] },
        { memory: { factor: 1.5, value: null, maximum: 8 * 1024 ** 3 } },
        { stderr: 'No space left', delayMs: 120_000, verdict: 'retry', mode: 'act' },
        { message: 'site-local', holds: 'disk', delayMs: 5000 },
      ],
    });
  });

  test.each([
    ['rules: []', /rules/],
    ['{}', /rules/],
    ['rules: [{ category: data }]', /rules\[0\]: the rule matches nothing/],
    ['rules: [{ exit_codes: [1], max_retries: 3 }]', /rules\[0\].*max_retries/],
    ['rules: [{ exit_codes: [1], recovery_script: x }]', /rules\[0\].*recovery_script/],
    [
      'rules: [{ exit_codes: [1], verdict: ask }]',
      /^rules\.yaml:1:37: rules\[0\]\.verdict: `ask` is not possible in a rulebook: retries belong to `retry` of the request, and what is left is held/,
    ],
    ['rules: [{ message: "(" }]', /rules\[0\]\.message: not a valid pattern/],
    ['rules: [{ report_codes: ["9-1"] }]', /the range must begin with its smaller number/],
    ['rules: [{ exit_codes: [1], max_memory: 8g }]', /limits `memory`, which the rule does not change/],
    ['rules: [', /^rules\.yaml:1:9: a "\]" is missing/],
  ])('%s is refused', (text, problem) => {
    const result = read(text);
    expect(result.ok ? [] : result.problems.join('\n')).toMatch(problem);
  });
});
