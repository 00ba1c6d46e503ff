import { describe, expect, test } from 'vitest';
import { requestSimulationView } from '../../src/cli/texts/spec/request-simulation-text.ts';
import type { NewRequest } from '../../src/contract/engine.ts';
import { RequestCourse } from '../../src/simulate/request-course.ts';
import {
  type RequestSimulation,
  type RequestSimulationOptions,
  simulateRequest,
} from '../../src/simulate/simulate-request.ts';
import { textStyle } from '../cli/records.ts';
import { requestOf } from '../spec/request-text.ts';

interface Play extends Partial<RequestSimulationOptions> {
  texts?: Record<string, string>;
}

async function played(spec: string, outcomes: string[] = [], play: Play = {}): Promise<RequestSimulation> {
  const request: NewRequest = {
    ...requestOf(spec, play.texts),
    cwd: '/',
    output_dir: 'output',
    actor: 'test',
  };
  const { sites = ['local'], releases = 0, maxRounds = 20 } = play;
  const course = new RequestCourse(request, { outcomes, sites }, 60_000);
  return simulateRequest(request, course, { sites, releases, maxRounds });
}

const range = (total: number, more = '', errors = '{ error_hold_threshold: 0.5 }') => `
kind: request
name: numbers
work: { range: { total: ${total}, per_job: 1 } }
round: { first_units: ${total}, units: ${total} }
process: { command: "echo {first}", retry: 1 }
errors: ${errors}
${more}
`;

const ITEMS = `
kind: request
name: files
work: { items: list.txt, per_job: 2 }
jobs_per_unit: 2
round: { first_units: 3, units: 3 }
process: { command: "cat {items} > {output}", retry: 0 }
merge: { command: "cat {inputs} > {output}", retry: 0 }
errors: { error_hold_threshold: 0.5, error_max_rescue_attempts: 1, when_exhausted: advance }
`;
const LIST = { 'list.txt': Array.from({ length: 12 }, (_, index) => `f${index + 1}`).join('\n') };

const units = (first: number, last: number, list: string): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `unit ${first + index}=${list}`);

/** `rescue 60/100 f40` for each run of each round. */
const course = ({ rounds }: RequestSimulation): string[] =>
  rounds.flatMap(({ runs }) =>
    runs.map((run) => {
      const { total, done, failed, not_run } = run.units!;
      const others = `${failed > 0 ? ` f${failed}` : ''}${not_run > 0 ? ` n${not_run}` : ''}`;
      return `${run.decision!.kind} ${done}/${total}${others}`;
    }),
  );

describe('a simulated request', () => {
  const CASES: [
    name: string,
    spec: string,
    outcomes: string[],
    play: Play,
    course: string[],
    exit: number,
  ][] = [
    ['completes when nothing fails', range(100), [], {}, ['close 100/100'], 0],
    [
      'is rescued as in the example of 100 units: 60 done, then 90, then all',
      range(100),
      [...units(1, 30, 'fail'), ...units(31, 40, 'fail,fail')],
      {},
      ['rescue 60/100 f40', 'rescue 90/100 f10', 'close 100/100'],
      0,
    ],
    [
      'is held at the threshold',
      range(100, '', '{ error_hold_threshold: 0.4 }'),
      units(1, 40, 'fail'),
      {},
      ['hold 60/100 f40'],
      3,
    ],
    [
      'is held when rescues are used up',
      range(10),
      ['unit 3=permanent,permanent,permanent,permanent'],
      {},
      ['rescue 9/10 f1', 'rescue 9/10 f1', 'rescue 9/10 f1', 'hold 9/10 f1'],
      3,
    ],
    [
      'continues after a release with new numbers',
      range(10, '', '{ error_hold_threshold: 0.2 }'),
      units(1, 2, 'fail'),
      { releases: 1 },
      ['hold 8/10 f2', 'close 2/2'],
      0,
    ],
    [
      'is released as often as that was said',
      range(10, '', '{ error_hold_threshold: 0 }'),
      ['unit 1=fail', 'unit 11=fail', 'unit 12=fail'],
      { releases: 2 },
      ['hold 9/10 f1', 'hold 0/1 f1', 'hold 0/1 f1'],
      3,
    ],
    [
      'has units that were not run after an abort',
      ITEMS,
      ['unit 2=abort'],
      { texts: LIST },
      ['rescue 0/3 f1 n2', 'close 3/3'],
      0,
    ],
    [
      'classifies exit codes by the rulebook',
      range(4, 'rulebook: r.yaml'),
      ['unit 2=65,0'],
      {
        texts: { 'r.yaml': 'rules: [{ exit_codes: [65], verdict: accept }]' },
      },
      ['close 4/4'],
      0,
    ],
    [
      'advances past a bad item, and tries the other items of the unit again',
      ITEMS,
      ['unit 2=data:f6,data:f6'],
      { texts: LIST },
      ['rescue 2/3 f1', 'close 2/3 f1', 'close 1/1'],
      0,
    ],
  ];

  test.each(CASES)('%s', async (_, spec, outcomes, play, wanted, exit) => {
    const simulation = await played(spec, outcomes, play);
    expect(course(simulation)).toEqual(wanted);
    expect(simulation).toMatchObject({ exit_code: exit, end: exit === 0 ? 'completed' : 'held' });
    expect(simulation.unused).toEqual([]);
  });

  test('names what failed, at which attempt and why, and keeps the ledger', async () => {
    const simulation = await played(ITEMS, ['unit 2=data:f6,data:f6'], { texts: LIST });
    const [first] = simulation.rounds[0]!.runs;
    expect(first).toMatchObject({ kind: 'first', starts_at_ms: 0, ends_at_ms: 120_000 });
    expect(first!.failures).toMatchObject([
      { unit: 2, job: 'unit_000002_proc_01', site: 'local', attempts: 1, category: 'data' },
    ]);
    expect(simulation.items).toEqual({ fresh: 0, attempted: 0, processed: 11, excluded: 1 });
    expect(simulation.excluded).toEqual([{ item: 'f6', reason: 'named as bad by a job of round 1' }]);
    expect(simulation.rounds[1]).toMatchObject({ first_unit: 4, last_unit: 4, released: null });
  });

  test('plays attempts of one job, whose retries can save the unit', async () => {
    const saved = await played(ITEMS.replace('retry: 0', 'retry: 2'), ['unit 1 proc 2=1,SEGV,0'], {
      texts: LIST,
    });
    expect(course(saved)).toEqual(['close 3/3']);
    const merge = await played(ITEMS, ['unit 3 merge=1'], { texts: LIST });
    expect(merge.rounds[0]!.runs[0]!.failures.map(({ job }) => job)).toEqual(['unit_000003_merge']);
    expect(course(merge)).toEqual(['rescue 2/3 f1', 'close 3/3']);
  });

  test('bans a site at which everything fails, and retries avoid it', async () => {
    const sites = ['north', 'south'];
    const simulation = await played(range(20), ['site north=infrastructure'], { sites });
    const [run] = simulation.rounds[0]!.runs;
    expect(run!.bans).toEqual([
      {
        site: 'north',
        reason: '10 of 10 attempts failed for reasons of the site (100 %)',
        for_all: false,
      },
    ]);
    expect(course(simulation)).toEqual(['close 20/20']);
  });

  test('never bans the last site, and is held', async () => {
    const simulation = await played(range(20), ['site local=infrastructure']);
    expect(course(simulation)).toEqual(['hold 0/20 f20']);
    expect(simulation.rounds[0]!.runs[0]!.bans).toEqual([]);
    expect(simulation.hold).toMatchObject({ code: 'failure_ratio', failed_units: 20 });
  });

  test('stops a range of 10^12 numbers at the number of rounds', async () => {
    const spec = `
kind: request
name: huge
work: { range: { total: 1000000000000, per_job: 1000 } }
round: { first_units: 2, units: 3 }
process: { command: "echo {first}" }
`;
    const simulation = await played(spec, ['unit 900000=fail'], { maxRounds: 3 });
    expect(simulation).toMatchObject({
      end: 'rounds',
      exit_code: null,
      delivered: '8000',
      cursor: '8001',
      unused: ['unit 900000=fail'],
    });
    const lines = requestSimulationView.table(simulation, textStyle());
    expect(lines.join('\n')).toContain('3 rounds were played and more would follow; --max-rounds plays more');
  });

  test('is printed with its rounds, the walk of each decision, the ledger and the exit code', async () => {
    const simulation = await played(range(10, '', '{ error_hold_threshold: 0.2 }'), ['unit 3=permanent']);
    expect(requestSimulationView.table(simulation, textStyle())).toEqual([
      'request numbers',
      '',
      'round 1  units 1 to 10',
      '  first run, 0ms to 1m00s: 9 of 10 units done, 1 failed',
      '    failed unit_000003_proc_01: exit 1 - its category is permanent: no retry would help',
      '      success    1 of 10 units are not done',
      '      threshold  1 of 10 units failed (10 %), below the threshold of 20 %',
      '    → rescue     1 of 10 units failed (10 %): rescue 1 of 3',
      '  rescue 1, 1m00s to 2m00s: 10 of 10 units done',
      '    → success  all 10 units are done; nothing is left to do',
      '',
      'delivered 10 of 10 numbers; the next number is 11',
      'exit code 0 after 11 executions, 2m00s: COMPLETED',
    ]);
    expect(requestSimulationView.quiet(simulation)).toEqual(['0']);
  });
});

describe('outcomes of a request are refused', () => {
  const MISTAKES: [outcome: string, message: string][] = [
    ['foo', "--outcome: foo: write 'unit 3=fail,ok' or 'site north=infrastructure'"],
    ['unti 3=fail', 'did you mean "unit"?'],
    ['unit 0=fail', '0 is no unit; units have numbers from 1'],
    ['unit x=fail', 'x is no unit; units have numbers from 1'],
    ['unit 310=fail', 'there is no unit 310: the request has units 1 to 31; did you mean "31"?'],
    ['unit 3=fial', 'did you mean "fail"?'],
    ['unit 3=', 'an empty text is no outcome'],
    ['unit 3=fail:x', 'only data is followed by an item'],
    ['unit 3=data:x', 'the request is a range and has no item x'],
    ['unit 3 merge=1', 'a unit has no merge; it has proc'],
    ['unit 3 proc 2=1', 'a unit has one, proc 1'],
    ['site lokal=fail', 'there is no site lokal; --sites names local; did you mean "local"?'],
    ['site local=fail,ok', 'a site has one outcome'],
  ];

  test.each(MISTAKES)('%s', async (outcome, message) => {
    await expect(played(range(31), [outcome])).rejects.toThrow(message);
  });

  test('when a target is given twice, or an item is not in the inventory', async () => {
    await expect(played(range(3), ['unit 1=fail', 'unit 1=ok'])).rejects.toThrow('was given twice');
    const near = 'the inventory has no item f66; did you mean "f6"?';
    await expect(played(ITEMS, ['unit 1=data:f66'], { texts: LIST })).rejects.toThrow(near);
  });
});
