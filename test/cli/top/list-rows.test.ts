import { expect, test } from 'vitest';
import { lineText } from '../../../src/cli/terminal/styled-line.ts';
import { listRows } from '../../../src/cli/top/list-rows.ts';
import { loadList } from '../../../src/cli/top/load-screen.ts';
import { freshLists } from '../../../src/cli/top/top-state.ts';
import { onSqlite, worldOf } from '../../engine/engine-world.ts';
import { simpleModel } from '../../engine/simple-model.ts';

test('in 80 columns workflows are listed without when they were created, which leaves their names more room', async () => {
  const { engine, clock } = await worldOf(simpleModel([{ name: 'a' }]), onSqlite);
  const { lines } = listRows(await loadList(engine, 'workflows', freshLists().workflows, 0), clock.now);
  expect(lineText(lines(78)[0]!)).toMatch(/^ID +NAME +STATE +ENDED +FAILED +WAITING$/);
  expect(lineText(lines(118)[0]!)).toMatch(/^ID +NAME +STATE +ENDED +FAILED +WAITING +CREATED$/);
});
