import { describe, expect, test } from 'vitest';
import { Served } from './served-world.ts';

describe('lists', () => {
  test('of jobs are sorted as asked for, page by page, without gaps or doubles', async () => {
    const served = new Served();
    const names = ['pear', 'apple', 'fig', 'quince', 'date'];
    const id = await served.submit(names.map((name) => ({ name })));
    const pages = async (sort: 'id' | '-id' | 'name' | '-name') => {
      const found: string[] = [];
      let after: number | null = 0;
      while (after !== null) {
        const page = await served.engine.listJobs(id, { sort, limit: 2, ...(after > 0 ? { after } : {}) });
        found.push(...page.items.map(({ name }) => name));
        after = page.next;
      }
      return found;
    };
    expect(await pages('id')).toEqual(names);
    expect(await pages('-id')).toEqual(names.toReversed());
    expect(await pages('name')).toEqual(names.toSorted());
    expect(await pages('-name')).toEqual(names.toSorted().toReversed());
  });

  test('a job is found by its number alone', async () => {
    const served = new Served();
    await served.submit([{ name: 'x' }]);
    const id = await served.submit([{ name: 'a' }]);
    expect(await served.engine.findJob(2)).toMatchObject({ workflow_id: id, name: 'a' });
    await expect(served.engine.findJob(3)).rejects.toMatchObject({ code: 'NO_SUCH_JOB' });
  });
});
