import { expect, test } from 'vitest';
import { type BlueprintGraph, planItems } from '../../src/core/flow/plan-items.ts';

/** list (1) -> p (2) -> q (3) in `list[*]`, and deep (4) in `list[*]/parts[*]`; q is joined by set 90. */
const GRAPH: BlueprintGraph = {
  blueprints: [
    { id: 2, name: 'p', scope: 'list[*]', dependency_set_id: 20 },
    { id: 3, name: 'q', scope: 'list[*]', dependency_set_id: 30 },
    { id: 4, name: 'deep', scope: 'list[*]/parts[*]', dependency_set_id: 30 },
  ],
  members: new Map([
    [20, [{ job_id: 1, kind: 0 }]],
    [
      30,
      [
        { job_id: 1, kind: -2 },
        { job_id: 2, kind: 0 },
      ],
    ],
  ]),
  memberships: new Map([
    [2, [{ set_id: 30, kind: 0 }]],
    [3, [{ set_id: 90, kind: -1 }]],
  ]),
};

test('items share sets without blueprints, and have one of their own where blueprints are members', () => {
  const { jobs, sets, joins } = planItems(GRAPH, 'list[*]', ['list[0]', 'list[1]'], new Map());
  expect(jobs.map(({ name, scope, is_blueprint, set }) => [name, scope, is_blueprint, set])).toEqual([
    ['p', 'list[0]', false, { id: 20 }],
    ['q', 'list[0]', false, { made: 0 }],
    ['deep', 'list[0]/parts[*]', true, { made: 0 }],
    ['p', 'list[1]', false, { id: 20 }],
    ['q', 'list[1]', false, { made: 1 }],
    ['deep', 'list[1]/parts[*]', true, { made: 1 }],
  ]);
  expect(sets).toEqual([
    [
      { job: { id: 1 }, kind: -2 },
      { job: { made: 0 }, kind: 0 },
    ],
    [
      { job: { id: 1 }, kind: -2 },
      { job: { made: 3 }, kind: 0 },
    ],
  ]);
  expect(jobs.map(({ joins: links }) => links.length)).toEqual([0, 1, 0, 0, 1, 0]);
  expect(joins).toEqual([90]);
});

test('jobs of an earlier visit are used again', () => {
  const known = new Map([
    ['p@list[0]', 12],
    ['q@list[0]', 13],
    ['deep@list[0]/parts[*]', 14],
    ['p@list[1]', 15],
  ]);
  const { jobs, sets } = planItems(GRAPH, 'list[*]', ['list[0]', 'list[1]'], known);
  expect(jobs.map(({ name, scope }) => `${name}@${scope}`)).toEqual(['q@list[1]', 'deep@list[1]/parts[*]']);
  expect(sets).toEqual([
    [
      { job: { id: 1 }, kind: -2 },
      { job: { id: 15 }, kind: 0 },
    ],
  ]);
});

test('an empty list makes nothing, and what joins its items is counted anew', () => {
  expect(planItems(GRAPH, 'list[*]', [], new Map())).toEqual({ jobs: [], sets: [], joins: [90] });
});
