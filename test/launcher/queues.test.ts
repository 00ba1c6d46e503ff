import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Queues } from '../../src/worker/launcher/queues.ts';

const steps = fc.array(
  fc.record({ kind: fc.constantFrom('add', 'add', 'remove'), queue: fc.nat(3), at: fc.nat(30) }),
  { maxLength: 60 },
);

test('queues are lists from which anything can be taken', () => {
  fc.assert(
    fc.property(steps, (course) => {
      const queues = new Queues<string>();
      const model: number[][] = [[], [], [], []];
      let newest = 0;
      for (const { kind, queue, at } of course) {
        const list = model[queue]!;
        if (kind === 'add') {
          newest += 1;
          expect(queues.add(queue, newest, `order ${newest}`)).toBe(list.length === 0);
          list.push(newest);
        } else {
          const index = at % Math.max(1, list.length);
          const [token] = list.splice(index, 1);
          const next = index === 0 && list.length > 0 ? { next: `order ${list[0]}` } : {};
          const expected = token === undefined ? undefined : { value: `order ${token}`, ...next };
          expect(queues.remove(token ?? -1)).toEqual(expected);
        }
        const used = model.flatMap((list, number) => (list.length > 0 ? [[number, list] as const] : []));
        expect([...queues.entries()].sort((a, b) => a.queue - b.queue)).toEqual(
          used.map(([number, [first, ...others]]) => {
            return { queue: number, first: `order ${first}`, followers: others.length };
          }),
        );
        expect(queues.waiting).toBe(used.reduce((sum, [, list]) => sum + list.length - 1, 0));
        for (const [number, list] of used) {
          expect(queues.hasQueue(number)).toBe(true);
          expect(queues.followers(number)).toEqual(list.slice(1).map((token) => `order ${token}`));
          expect(queues.isFollowed(list[0]!)).toBe(list.length > 1);
          for (const token of list) expect(queues.get(token)).toBe(`order ${token}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});
