import { expect, test } from 'vitest';
import { madeList } from '../../src/core/model/made-list.ts';

const SQUARES = [0, 1, 4, 9];
const squares = () => madeList(4, (index) => index * index);

test('a made list is read like an array of its items', () => {
  const list = squares();
  expect(list).toEqual(SQUARES);
  expect([...list]).toEqual(SQUARES);
  expect([list[2], list.at(-1), list[4], list.length]).toEqual([4, 9, undefined, 4]);
  expect([...list.entries()]).toEqual([...SQUARES.entries()]);
  expect(list.map((item) => item + 1)).toEqual([1, 2, 5, 10]);
  expect(list.filter((item) => item > 1)).toEqual([4, 9]);
  expect(list.find((item) => item > 1)).toBe(4);
  expect(list.flatMap((item) => [item, item])).toHaveLength(8);
  expect(list.toSorted((a, b) => b - a)).toEqual([9, 4, 1, 0]);
  expect(JSON.stringify({ list })).toBe('{"list":[0,1,4,9]}');
  expect(Object.keys(list)).toEqual(['0', '1', '2', '3']);
  expect(Array.isArray(list)).toBe(true);
});

test('a made list makes an item whenever it is asked for one, and keeps none', () => {
  const made: number[] = [];
  const list = madeList(1_000_000, (index) => {
    made.push(index);
    return { index };
  });
  expect(made).toEqual([]);
  expect(list[7]).not.toBe(list[7]);
  expect(made).toEqual([7, 7]);
});

test('a made list cannot be changed', () => {
  const list = squares() as number[];
  expect(() => list.push(16)).toThrow(TypeError);
  expect(() => {
    list[0] = 1;
  }).toThrow(TypeError);
  expect(() => list.pop()).toThrow(TypeError);
  expect(list).toEqual(SQUARES);
});
