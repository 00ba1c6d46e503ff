import { expect, test } from 'vitest';
import type { ExplainedRequest } from '../../src/views/requests/explained-request.ts';
import type { ExplainedRound } from '../../src/views/requests/explained-round.ts';
import type { ExplainedUnit } from '../../src/views/requests/explained-unit.ts';
import { World } from './world.ts';

const REQUEST = `
kind: request
name: files
work: { items: list.txt, per_job: 2 }
round: { first_units: 2, units: 2 }
errors: { error_hold_threshold: 0.6, error_max_rescue_attempts: 1, cooloff_base_sec: 0.01 }
rulebook: rules.yaml
process:
  command: |
    for item in {items}; do
      [ "$item" != bad ] || { echo '{"exit_code": 8021, "bad_input_files": ["bad"]}' > "$HOLDFAST_REPORT"; exit 1; }
    done
    cat < /dev/null > {output}
  retry: 1
outputs: "out/{unit}.txt"
`;
const FILES = {
  'files.yaml': REQUEST,
  'list.txt': 'a\nb\nc\nbad\nd\n',
  'rules.yaml': 'rules:\n  - { report_codes: [8021], category: data, bad_items: reported }\n',
};

test('explain says why a request is held, what was decided about each run, and how a unit ended', async () => {
  const world = new World(FILES);
  expect((await world.run('run', 'files.yaml')).code).toBe(3);

  const request = await world.json<ExplainedRequest>('explain', 'files');
  const held = '1 of 2 units failed (50 %), and no rescue is left (1 of 1 used)';
  expect(request).toMatchObject({
    status: 'HELD',
    why: held,
    decided: { round: 1, run_id: 2, run: 'rescue 1', decision: { kind: 'hold' } },
    open_round: null,
  });
  expect(request.history[0]).toMatchObject({ action: 'request_held' });

  const round = await world.json<ExplainedRound>('explain', 'files', '--round', '1');
  expect(round.runs.map(({ run, units, decision }) => [run, units?.failed, decision?.kind])).toEqual([
    ['first run', 1, 'rescue'],
    ['rescue 1', 1, 'hold'],
  ]);
  expect(round.runs[0]!.decision!.walk.map(({ rule }) => rule)).toEqual(['success', 'threshold', 'rescue']);
  expect(round.failed).toEqual([{ number: 2, state: 'failed', first: null, last: null, size: 2 }]);

  const unit = await world.json<ExplainedUnit>('explain', 'files@1', '--unit', '2');
  expect(unit.items).toEqual([
    { path: 'c', state: 'attempted', reason: 'its unit failed in round 1' },
    { path: 'bad', state: 'excluded', reason: 'named as bad by a job of round 1' },
  ]);
  expect(unit.jobs).toMatchObject([{ name: 'unit_000002_proc_01', status: 'failed', attempts: 2 }]);
  expect(unit.runs.map(({ run, ends }) => [run, ends.map(({ category }) => category)])).toEqual([
    ['first run', ['data']],
    ['rescue 1', ['data']],
  ]);
  expect(unit.unit.outputs).toEqual(['out/2.txt']);
  expect((await world.run('explain', 'files', '--unit', '2')).stdout).toContain(
    'bad: excluded, named as bad by a job of round 1',
  );
});

test('a job of the newest workflow comes before a request, unless a round or a unit is asked for', async () => {
  const world = new World({
    ...FILES,
    'same.yaml': 'name: same\njobs: [{ name: files, command: "true" }]\n',
  });
  await world.run('run', 'files.yaml');
  await world.run('run', 'same.yaml');
  expect((await world.run('explain', 'files')).stdout).toMatch(/^files \(job \d+, run 1\): completed/);
  expect((await world.run('explain', 'files', '--round', '1')).stdout).toMatch(/^files@1 round 1: PARTIAL/);
  expect((await world.run('explain', 'files@1')).stdout).toMatch(/^files@1: HELD/);
});

test('names that are neither, rounds and units that are not there, are refused', async () => {
  const world = new World(FILES);
  await world.run('run', 'files.yaml');
  const refused = async (...args: string[]) => {
    const { code, stderr } = await world.run('explain', ...args);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refused('fles')).toContain('workflow 1 has no job fles');
  expect(await refused('files', '--round', '9')).toContain('has no round 9');
  expect(await refused('files', '--unit', '99')).toContain('has no unit 99');
  expect(await refused('fles', '--unit', '1')).toContain('there is no request fles');
  expect(await refused('1', 'x', '--round', '1')).toContain('only with the name of a request');
  expect(await refused('files', '--round', '1', '--unit', '1')).toContain('not together with --unit');
});
