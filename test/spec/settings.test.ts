import { describe, expect, it } from 'vitest';
import { settingsOption } from '../../src/cli/options/set-option.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { formatProblem } from '../../src/spec/problem.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import type { SpecSettings } from '../../src/spec/variables/apply-settings.ts';

const SPEC = `
variables: {who: world, both: 1}
parameters: {i: "1:2"}
jobs:
- {name: "a_{i}_{k}", use_parameters: [i], parameters: {k: [x, both]}, command: "echo {who}"}
- {name: b, use_parameters: [i], parameters: {k: [x], both: [1]}, depends_on: "a_{i}_{k}", command: "\${variables.who}"}
`;

function load(set: SpecSettings, text = SPEC) {
  const result = loadSpec(text, 'flow.yaml', { set });
  if (!result.ok) return result.problems.map(formatProblem);
  return result.model.jobs.map(({ name, config }) => `${name}: ${config.command}`);
}

describe('values that are set', () => {
  it.each<[SpecSettings, string[]]>([
    [
      {},
      ['a_1_x: echo world', 'a_1_both: echo world', 'a_2_x: echo world', 'a_2_both: echo world', 'b: world'],
    ],
    [{ i: 7, k: 'q', who: 'you' }, ['a_7_q: echo you', 'b: you']],
    [{ i: [7, 8], k: 'q' }, ['a_7_q: echo world', 'a_8_q: echo world', 'b: world']],
    [{ i: '7:8', k: '[q]' }, ['a_7_q: echo world', 'a_8_q: echo world', 'b: world']],
    [{ i: true, k: ['q'] }, ['a_true_q: echo world', 'b: world']],
  ])('take the place of those of the spec: %j', (set, jobs) => {
    expect(load(set)).toEqual(jobs);
  });

  it.each<[SpecSettings, string]>([
    [{ wo: 1 }, 'flow.yaml:2:1: --set wo: the spec has no variable or parameter "wo"; did you mean "who"?'],
    [{ zzz: 1 }, 'flow.yaml:2:1: --set zzz: the spec has no variable or parameter "zzz"'],
    [
      { __proto__x: 1 },
      'flow.yaml:2:1: --set __proto__x: the spec has no variable or parameter "__proto__x"',
    ],
    [{ both: 1 }, 'flow.yaml:2:1: --set both: "both" is both a variable and a parameter; rename one of them'],
    [{ i: [] }, 'flow.yaml:3:17: parameters.i: the list has no values'],
  ])('must be there: %j', (set, message) => {
    expect(load(set)).toContain(message);
  });

  it('are variables of a request, too', () => {
    const text =
      'kind: request\nname: r\nwork: {range: {total: 1, per_job: 1}}\nvariables: {v: 1}\nprocess: {command: "x {v}"}\n';
    const files = { readText: () => '', listFiles: () => [] };
    expect(loadRequest(text, 'r.yaml', files, { v: 2 })).toMatchObject({
      model: { process: { command: 'x 2' } },
    });
    expect(loadRequest(text, 'r.yaml', files, { w: 2 })).toMatchObject({ ok: false });
  });
});

describe('--set', () => {
  it.each<[string, string | number | boolean | unknown[]]>([
    ['a=5', 5],
    ['a=0.50', 0.5],
    ['a=true', true],
    ['a="5"', '5'],
    ['a=', ''],
    ['a=x=y', 'x=y'],
    ['a=[1, b, "2"]', [1, 'b', '2']],
    ['a=1:100', '1:100'],
    ['a=x: y', 'x: y'],
    ['a={x: 1}', '{x: 1}'],
    ['a=[[1]]', '[[1]]'],
    ['a=*x', '*x'],
    ['a=@x', '@x'],
    [' a =x', 'x'],
  ])('reads %j', (written, value) => {
    expect(settingsOption({ lists: { set: [written] } })).toEqual({ a: value });
  });

  it('refuses what is no value, and a name that is given twice', () => {
    expect(() => settingsOption({ lists: { set: ['a'] } })).toThrow('--set: expected NAME=VALUE, got "a"');
    expect(() => settingsOption({ lists: { set: ['=a'] } })).toThrow('--set: expected NAME=VALUE, got "=a"');
    expect(() => settingsOption({ lists: { set: ['a=1', 'a=2'] } })).toThrow('--set: "a" is given twice');
  });
});
