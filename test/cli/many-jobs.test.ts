import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { makeProject, runCli } from './run-cli.ts';

test('a table of many jobs has the first 1,000, and says so; other lists have all', async () => {
  const cwd = makeProject();
  const job = { name: 'job_{i}', command: 'true', parameters: { i: '1:1001' } };
  const loaded = loadSpec(JSON.stringify({ name: 'many', jobs: [job] }), 'many.json');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const engine = await openEngine({ dir: join(cwd, '.holdfast'), create: true });
  await engine.createWorkflow({ model: loaded.model, cwd, output_dir: 'output', actor: 'ada' });
  await engine.close();

  const table = await runCli(['jobs', '1'], { cwd });
  expect(table.stdout).toContain(' job_1000 ');
  expect(table.stdout).not.toContain(' job_1001 ');
  expect(table.stderr).toBe('note: these are the first 1000 jobs; --limit N lists more of them\n');
  const more = await runCli(['jobs', '1', '--limit', '2000'], { cwd });
  expect(more.stdout).toContain(' job_1001 ');
  expect(more.stderr).toBe('');
  const csv = await runCli(['jobs', '1', '--output', 'csv'], { cwd });
  expect(csv.stdout.trimEnd().split('\n')).toHaveLength(1002);
});
