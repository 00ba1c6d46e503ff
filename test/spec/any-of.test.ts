import { describe, expect, it } from 'vitest';
import { dependencySetOf, modelOf } from './spec-text.ts';

describe('depends_on: a|b', () => {
  const set = (dependsOn: string, more = '') =>
    dependencySetOf(
      modelOf(
        `steps: { a: { exec: x }, b: { exec: x }, c: { exec: x }, d: { exec: x }, "c|d": { exec: x }, end: { exec: x, depends_on: ${dependsOn} } ${more}}`,
      ),
      'end',
    );

  it.each<[string, string[], string[][]]>([
    ['"a|b"', ['a', 'b'], [['a', 'b']]],
    ['" b | a "', ['a', 'b'], [['a', 'b']]],
    ['["a|b", c]', ['a', 'b', 'c'], [['a', 'b']]],
    [
      '["d|a", "b|a|c"]',
      ['a', 'b', 'c', 'd'],
      [
        ['a', 'b', 'c'],
        ['a', 'd'],
      ],
    ],
    // The same group twice is one, and one of one is that one.
    ['["a|b", "b|a"]', ['a', 'b'], [['a', 'b']]],
    ['"a|a"', ['a'], []],
    // What must succeed anyway satisfies its group, and the rest of it is not waited for.
    ['["a|b", a]', ['a'], []],
    ['["a|b", "a|a"]', ['a'], []],
    ['["a|b", "b|c", a]', ['a', 'b', 'c'], [['b', 'c']]],
    // A step whose very name it is.
    ['"c|d"', ['c|d'], []],
    ['["c|d", "a|c"]', ['a', 'c', 'c|d'], [['a', 'c']]],
  ])('%s', (dependsOn, members, anyOf) => {
    expect(set(dependsOn)).toEqual({ members, joined: [], anyOf });
  });

  it('works for jobs and in sweeps, and equal sets are one', () => {
    const model = modelOf(`jobs:
  - { name: "a{i}", command: x, parameters: { i: "1:2" } }
  - { name: b, command: x }
  - { name: "c{i}", command: x, depends_on: ["a{i}|b"], parameters: { i: "1:2" } }
  - { name: d, command: x, depends_on: "b | a2" }
  - { name: e, command: x, depends_on: [b, a2] }
`);
    expect(dependencySetOf(model, 'c1')).toEqual({ members: ['a1', 'b'], joined: [], anyOf: [['a1', 'b']] });
    expect(model.dependencySets).toHaveLength(3);
    expect(dependencySetOf(model, 'e')).toEqual({ members: ['a2', 'b'], joined: [], anyOf: [] });
  });

  it('explains by what was written', () => {
    const model = modelOf(
      'steps: { a: { exec: x }, b: { exec: x, depends_on: [] }, c: { exec: x, depends_on: [a|b] } }',
    );
    expect(model.dependencyReasons).toEqual([{ job: 2, kind: 'depends_on', via: 'a|b' }]);
  });
});
