import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayChange, mayRead, ownerOf } from '../../src/core/access/may-change.ts';
import { owned, readable } from '../../src/store/rows/access/readable.ts';
import { all } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

test.each([
  ['ada', 'ada'],
  ['agent:ada', 'ada'],
  ['agent:', ''],
])('what %j creates belongs to %j', (actor, owner) => expect(ownerOf(actor)).toBe(owner));

const names = fc.constantFrom('ada', 'grace', 'Ada', 'a_a', 'a.a');
const groups = fc.uniqueArray(fc.constantFrom('lab', 'Lab', 'la', 'l_b', 'l.b', 'x@lab'), { maxLength: 3 });

test('lists have exactly what the rule allows', async () => {
  const store = new SqliteStore(':memory:');
  await fc.assert(
    fc.asyncProperty(names, groups, names, groups, async (owner, access_groups, name, own) => {
      const row = '(select ? as owned_by, ? as access_groups) workflow';
      const found = (condition: { sql: string; values: (string | number | null | Uint8Array)[] }) =>
        store.read(() =>
          all(
            `select 1 as found from ${row} where 1 = 1${condition.sql}`,
            owner,
            JSON.stringify(access_groups),
            ...condition.values,
          ),
        );
      const principal = { name, role: 'operator', groups: own } as const;
      const reader = { name, groups: own };
      const mine = owned('workflow', reader);
      expect((await found(readable('workflow', reader))).length === 1).toBe(
        mayRead(principal, { owner, access_groups }),
      );
      expect((await found({ sql: ` and ${mine.sql}`, values: mine.values })).length === 1).toBe(
        mayChange(principal, { owner, access_groups }),
      );
    }),
    { numRuns: 300 },
  );
  await store.close();
});
