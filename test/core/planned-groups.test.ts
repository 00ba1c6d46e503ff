import { expect, test } from 'vitest';
import { plannedGroups } from '../../src/core/model/planned-groups.ts';
import { simpleModel } from '../engine/simple-model.ts';

test('jobs of a model are in groups by name, each in the wave after all that it waits for', () => {
  const model = simpleModel([
    { name: 'merge', after: ['train_1', 'train_2', 'begin'] },
    { name: 'train_1', after: ['begin'] },
    { name: 'train_2', after: ['train_1'] },
    { name: 'begin' },
    { name: 'clean', onCall: true },
  ]);
  expect(plannedGroups(model)).toEqual([
    { label: 'begin', sample: 'begin', jobs: 1, on_call: false, wave: 1, after: [] },
    { label: 'train_*', sample: 'train_1', jobs: 2, on_call: false, wave: 2, after: ['begin'] },
    { label: 'merge', sample: 'merge', jobs: 1, on_call: false, wave: 3, after: ['train_*', 'begin'] },
    { label: 'clean', sample: 'clean', jobs: 1, on_call: true, wave: 1, after: [] },
  ]);
});

test('groups may wait for each other, although their jobs do not', () => {
  const model = simpleModel([
    { name: 'a_1' },
    { name: 'b_1', after: ['a_1'] },
    { name: 'a_2', after: ['b_1'] },
    { name: 'b_2', after: ['a_2'] },
  ]);
  expect(plannedGroups(model).map(({ label, after }) => [label, after])).toEqual(
    expect.arrayContaining([
      ['a_*', ['b_*']],
      ['b_*', ['a_*']],
    ]),
  );
});
