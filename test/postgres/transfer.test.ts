import { expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { onSqlite, worldOf } from '../engine/engine-world.ts';
import { content, exported, importLines } from '../engine/export-lines.ts';
import { simpleModel } from '../engine/simple-model.ts';
import { history, transferBehaviour } from '../engine/transfer-behaviour.ts';
import { onPostgres } from './on-postgres.ts';

transferBehaviour(onPostgres);

test.each([
  ['SQLite', 'PostgreSQL', onSqlite, onPostgres],
  ['PostgreSQL', 'SQLite', onPostgres, onSqlite],
] as const)('a workflow goes from %s to %s and is the same there', async (_from, _to, from, to) => {
  const { world, engine } = await history(from);
  const there = (await worldOf(simpleModel([{ name: 'other' }]), to)).engine as ServedEngine;
  const lines = await exported(engine, world.workflowId);
  const { id } = await importLines(there, lines);
  expect(content(await exported(there, id))).toEqual(content(lines));
});
