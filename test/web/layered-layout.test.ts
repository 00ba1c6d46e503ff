import { expect, test } from 'vitest';
import { layeredLayout } from '../../web/workflow/graph/layered-layout.ts';

const box = { width: 100, height: 40 };
const lay = (nodes: number, edges: [number, number][]) =>
  layeredLayout({ nodes, edges: edges.map(([from, to]) => ({ from, to })), box });

test('every box is to the right of all that it waits for, and no two overlap', () => {
  const edges: [number, number][] = [];
  for (let node = 1; node < 120; node += 1) {
    edges.push([Math.floor(node / 3), node]);
    if (node % 5 === 0) edges.push([node - 4, node]);
  }
  const { places, width, height } = lay(120, edges);
  for (const [from, to] of edges) {
    expect(places[from]!.x + box.width).toBeLessThan(places[to]!.x);
  }
  for (const [index, one] of places.entries()) {
    expect(one.x >= 0 && one.y >= 0 && one.x + box.width <= width && one.y + box.height <= height).toBe(true);
    for (const other of places.slice(index + 1)) {
      if (one.x === other.x) expect(Math.abs(one.y - other.y)).toBeGreaterThanOrEqual(box.height);
    }
  }
});

test('a line that passes a column keeps clear of the boxes in it', () => {
  const { places, lines } = lay(4, [
    [0, 1],
    [1, 2],
    [0, 2],
    [0, 3],
  ]);
  const passing = lines[2]!.slice(1, -1);
  expect(passing).toHaveLength(2);
  for (const place of [places[1]!, places[3]!]) {
    const isClear = passing[0]!.y < place.y || passing[0]!.y > place.y + box.height;
    expect(isClear).toBe(true);
  }
});

test('circles and jobs that wait for others of their group are laid out as well', () => {
  const { places, lines } = lay(3, [
    [0, 1],
    [1, 2],
    [2, 0],
    [1, 1],
  ]);
  expect(new Set(places.map(({ x }) => x)).size).toBe(3);
  expect(lines.map((line) => line !== null)).toEqual([true, true, true, false]);
  expect(lay(0, []).places).toEqual([]);
});

test('300 boxes with 5,000 lines take no longer than a moment', () => {
  const edges: [number, number][] = [];
  for (let index = 0; index < 5_000; index += 1) {
    const from = (index * 7) % 299;
    edges.push([from, from + 1 + ((index * 13) % (299 - from))]);
  }
  const { places } = lay(300, edges);
  expect(places).toHaveLength(300);
});
