import { expect, test } from 'vitest';
import { isOutOfSpace } from '../../src/store/sqlite/is-out-of-space.ts';

const FULL = () => 0;
const ROOM = () => 2 ** 30;

test.each<[string, unknown, () => number | null, boolean]>([
  ['what SQLite calls a full disk', new Error('database or disk is full'), ROOM, true],
  ['no space for a new file', Object.assign(new Error('mkdir'), { code: 'ENOSPC' }), ROOM, true],
  ['an I/O error where nothing is free', new Error('disk I/O error'), FULL, true],
  ['a file that cannot be made there', new Error('unable to open database file'), FULL, true],
  ['an I/O error of a disk with room', new Error('disk I/O error'), ROOM, false],
  ['an I/O error of a database in memory', new Error('disk I/O error'), () => null, false],
  ['another error on a full disk', new Error('no such table: job'), FULL, false],
  ['no error at all', 'disk is full', FULL, false],
])('%s', (_, error, freeBytes, expected) => {
  expect(isOutOfSpace(error, freeBytes)).toBe(expected);
});
