import { expect, test } from 'vitest';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import type { RequestSimulation } from '../../src/simulate/simulate-request.ts';
import { World } from './world.ts';

/** A job of units 2 and 3 fails as often as the file of its unit says; unit 5 is broken for good. */
const REQUEST = `
kind: request
name: numbers
work: { range: { total: 12, per_job: 1 } }
jobs_per_unit: 2
round: { first_units: 4, units: 3 }
errors: { error_hold_threshold: 0.6, error_max_rescue_attempts: 1, cooloff_base_sec: 0.01 }
rulebook: rules.yaml
process:
  command: |
    first={first} unit={unit}
    [ "$first" -eq $((unit * 2 - 1)) ] || exit 0
    echo x >> "ran-$unit"
    case $unit in
      2) [ "$(wc -l < "ran-$unit")" -gt 2 ] ;;
      3) [ "$(wc -l < "ran-$unit")" -gt 4 ] || exit 75 ;;
      5) exit 65 ;;
    esac
  retry: 1
merge: { command: "true", retry: 0 }
`;
const RULES = 'rules:\n  - { exit_codes: [65], category: permanent }\n';

const OUTCOMES = ['unit 2=fail', 'unit 3=75,75', 'unit 5=65,65'];

/** What was decided about each run of each round, with every rule that was checked. */
const decisions = (
  rounds: { number: number; runs: { kind: string; units: unknown; decision: unknown }[] }[],
) =>
  rounds.map(({ number, runs }) => ({
    number,
    runs: runs.map(({ kind, units, decision }) => ({ kind, units, decision })),
  }));

test('a simulated request takes the course of a real one with the same outcomes', async () => {
  const world = new World({ 'numbers.yaml': REQUEST, 'rules.yaml': RULES });
  const flags = OUTCOMES.flatMap((outcome) => ['--outcome', outcome]);
  const simulated = await world.run('simulate', 'numbers.yaml', ...flags, '--output', 'json');
  const simulation = JSON.parse(simulated.stdout) as RequestSimulation;

  const real = await world.run('run', 'numbers.yaml', '--output', 'json');
  const request = JSON.parse(real.stdout) as RequestRecord;

  expect(decisions(request.rounds)).toEqual(decisions(simulation.rounds));
  expect(request.hold).toEqual(simulation.hold);
  expect(request).toMatchObject({
    status: simulation.status,
    delivered: simulation.delivered,
    cursor: simulation.cursor,
  });
  // Unit 3 fails once more after its rescue, so that the request is held in its first round.
  expect(simulation.rounds.map(({ state }) => state)).toEqual(['PARTIAL']);
  expect([real.code, simulated.code]).toEqual([3, 3]);
});

test('and so it does after the release of both', async () => {
  const world = new World({ 'numbers.yaml': REQUEST, 'rules.yaml': RULES });
  const flags = OUTCOMES.flatMap((outcome) => ['--outcome', outcome]);
  const simulated = await world.run(
    'simulate',
    'numbers.yaml',
    ...flags,
    '--release',
    '--release',
    '--output',
    'json',
  );
  const simulation = JSON.parse(simulated.stdout) as RequestSimulation;

  await world.run('run', 'numbers.yaml');
  for (let count = 0; count < 2; count += 1) {
    expect((await world.run('requests', 'release', 'numbers')).code).toBe(0);
    await world.run('requests', 'run', 'numbers');
  }
  const request = await world.json<RequestRecord>('requests', 'show', 'numbers');
  expect(decisions(request.rounds)).toEqual(decisions(simulation.rounds));
  expect([request.status, request.delivered]).toEqual(['COMPLETED', '12']);
  expect(simulation).toMatchObject({ status: 'COMPLETED', delivered: '12', exit_code: 0 });
  expect(simulated.code).toBe(0);
});
