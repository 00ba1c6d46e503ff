import { describe, expect, test } from 'vitest';
import { makeRequest, overlaps } from './request-world.ts';

/** A job that fails for each of its items whose file has `bad` in it, and names it in its report. */
const READ = `for item in {items}; do
  echo "$item" >> read
  grep -q bad "$item" || continue
  printf '{"exit_code": 8021, "error_message": "FileReadError: cannot read %s"}' "$item" > "$HOLDFAST_REPORT"
  exit 85
done`;

const RULES = 'rules: [{ report_codes: [8021, 8028], category: data, bad_items: reported }]';

describe.concurrent('the ledger of a range', () => {
  test('8,000 delivered of 10,000: another round begins at 10,001 and fills no gap', async (context) => {
    const world = makeRequest(context, {
      work: { range: { total: 10_000, per_job: 500 } },
      jobs_per_unit: 2,
      round: { first_units: 10, units: 10 },
      process: { command: '[ {round} -gt 1 ] || [ {first} -le 8000 ]', retry: 0 },
    });
    expect((await world.drive()).code).toBe(3);
    expect(await world.show()).toMatchObject({ status: 'HELD', delivered: '8000', cursor: '10001' });
    expect(await world.json('requests', 'release', 'campaign')).toEqual({
      request_name: 'campaign',
      status: 'QUEUED',
      previous_status: 'HELD',
      message: 'released; `holdfast requests run campaign` continues it',
    });
    expect(await world.show()).toMatchObject({ status: 'QUEUED', delivered: '8000', cursor: '10001' });
    expect((await world.resume()).code).toBe(0);
    const { rounds, ...request } = await world.show();
    expect(request).toMatchObject({ status: 'COMPLETED', delivered: '10000', cursor: '12001' });
    expect(rounds.map(({ state, units }) => [state, units.total, units.done])).toEqual([
      ['PARTIAL', 10, 8],
      ['COMPLETED', 2, 2],
    ]);
    const units = await world.units();
    expect(units.slice(10).map(({ first, last }) => [first, last])).toEqual([
      ['10001', '11000'],
      ['11001', '12000'],
    ]);
    expect(overlaps(units)).toEqual([]);
  });

  test('numbers beyond 2^53 reach the commands exactly', async (context) => {
    const first = 2n ** 53n - 15n;
    const world = makeRequest(context, {
      work: { range: { total: 30, first: String(first), per_job: 7 } },
      jobs_per_unit: 2,
      round: { first_units: 1, units: 4 },
      process: { command: 'echo {first} {last} {count} >> seen' },
    });
    expect((await world.drive()).code).toBe(0);
    const seen = world.lines('seen').map((line) => line.split(' ').map(BigInt));
    const inOrder = seen.toSorted(([a], [b]) => (a! < b! ? -1 : 1));
    expect(inOrder).toEqual([
      [first, first + 6n, 7n],
      [first + 7n, first + 13n, 7n],
      [first + 14n, first + 20n, 7n],
      [first + 21n, first + 27n, 7n],
      [first + 28n, first + 29n, 2n],
    ]);
    expect(await world.show()).toMatchObject({ cursor: String(first + 30n), delivered: '30' });
    expect(overlaps(await world.units())).toEqual([]);
  });

  test('a total of 10^12 is planned and credited exactly', async (context) => {
    const world = makeRequest(context, {
      work: { range: { total: '1000000000000', first: '9007199253740993', per_job: 250_000_000_001 } },
      round: { first_units: 3, units: 3 },
      process: { command: 'echo {count} >> counts' },
    });
    expect((await world.drive()).code).toBe(0);
    expect(await world.show()).toMatchObject({
      delivered: '1000000000000',
      cursor: String(9_007_199_253_740_993n + 1_000_000_000_000n),
    });
  });
});

describe.concurrent('the ledger of an inventory', () => {
  const items = (count: number) => Array.from({ length: count }, (_, index) => `f${index + 1}`);
  const inventory = (more: object = {}) => ({
    work: { items: 'items.txt', per_job: 2 },
    round: { first_units: 2, units: 2 },
    process: { command: READ, retry: 2 },
    rulebook: 'rules.yaml',
    ...more,
  });

  test('a file that a job names is excluded alone; its neighbours are attempted, and done after every fresh one', async (context) => {
    const world = makeRequest(
      context,
      inventory({
        errors: { error_max_rescue_attempts: 0, when_exhausted: 'advance', error_hold_threshold: 0.6 },
      }),
    );
    world.write('items.txt', items(10).join('\n'));
    world.write('rules.yaml', RULES);
    for (const item of items(10)) world.write(item, item === 'f2' ? 'bad' : 'good');
    expect((await world.drive()).code).toBe(0);
    const states = Object.fromEntries((await world.items()).map(({ path, state }) => [path, state]));
    expect(states).toEqual({
      ...Object.fromEntries(items(10).map((item) => [item, 'processed'])),
      f2: 'excluded',
    });
    const request = await world.show();
    expect(request).toMatchObject({
      status: 'COMPLETED',
      items: { fresh: 0, attempted: 0, processed: 9, excluded: 1 },
    });
    // Units of one round run side by side, so their numbers show the order in which they were planned.
    const unitOf = Object.fromEntries((await world.items()).map(({ path, unit }) => [path, unit]));
    expect(unitOf.f1).toBeGreaterThan(unitOf.f10!);
    const read = world.lines('read');
    expect(read.filter((item) => item === 'f2')).toHaveLength(1);
    expect((await world.allAttempts()).filter(({ category }) => category === 'data')).toHaveLength(1);
    expect((await world.items()).find(({ path }) => path === 'f2')).toMatchObject({
      reason: 'named as bad by a job of round 1',
      unit: 1,
    });
    for (const item of items(10))
      if (item !== 'f2') expect(read.filter((each) => each === item).length).toBeLessThan(3);
  });

  test('held with a bad file, it lists it among its errors, and a release continues with the rest', async (context) => {
    const world = makeRequest(context, inventory());
    world.write('items.txt', items(4).join('\n'));
    world.write('rules.yaml', RULES);
    for (const item of items(4)) world.write(item, item === 'f4' ? 'bad' : 'good');
    expect((await world.drive()).code).toBe(3);
    const before = await world.show();
    expect(before.items).toEqual({ fresh: 0, attempted: 1, processed: 2, excluded: 1 });
    const errors = await world.json<object>('requests', 'errors', 'campaign');
    expect(errors).toMatchObject({
      status: 'HELD',
      round: 1,
      failure_ratio: 0.5,
      by_category: { data: 1 },
      by_exit_code: { 8021: 1 },
      by_site: { local: { total: 2, failed: 1 } },
      bad_input_files: ['f4'],
      groups: [{ count: 1, node: 'unit_000002_proc_01', attempt: 1 }],
    });
    expect(await world.show()).toEqual(before);
    await world.run('requests', 'release', 'campaign');
    expect((await world.resume()).code).toBe(0);
    expect((await world.show()).items).toEqual({ fresh: 0, attempted: 0, processed: 3, excluded: 1 });
  });

  test('items of a group share units where they fill them', async (context) => {
    const world = makeRequest(context, {
      work: { items: 'items.txt', per_job: 2, group_by: 'run(\\d)' },
      jobs_per_unit: 1,
      round: { first_units: 9, units: 9 },
      process: { command: 'echo {items} >> jobs' },
    });
    world.write('items.txt', 'run1.a\nrun2.a\nrun1.b\nrun2.b\nrun1.c\nrun3.a\n');
    expect((await world.drive()).code).toBe(0);
    expect(world.lines('jobs').toSorted()).toEqual(['run1.a run1.b', 'run1.c run3.a', 'run2.a run2.b']);
  });
});

describe.concurrent('the parts of a unit', () => {
  test('run in the order processing, merge, cleanup, and hand their files on', async (context) => {
    const world = makeRequest(context, {
      work: { range: { total: 40, per_job: 10 } },
      jobs_per_unit: 2,
      round: { first_units: 2, units: 2 },
      process: { command: 'echo {first} > {output}' },
      merge: { command: 'cat {inputs} > {output}' },
      cleanup: { command: 'rm {inputs}; exit 1', retry: 0 },
      outputs: 'data/v{version}/{unit}.txt',
    });
    expect((await world.drive()).code).toBe(0);
    expect([world.lines('data/v1/1.txt'), world.lines('data/v1/2.txt')]).toEqual([
      ['1', '11'],
      ['21', '31'],
    ]);
    expect((await world.units()).map(({ outputs }) => outputs)).toEqual([
      ['data/v1/1.txt'],
      ['data/v1/2.txt'],
    ]);
    const attempts = await world.attempts();
    const of = (name: string) => attempts.filter(({ job_name }) => job_name === name)[0]!;
    for (const unit of ['unit_000001', 'unit_000002']) {
      const merge = of(`${unit}_merge`);
      for (const part of ['proc_01', 'proc_02']) {
        expect(of(`${unit}_${part}`).finished_at_ms).toBeLessThanOrEqual(merge.started_at_ms!);
      }
      expect(merge.finished_at_ms).toBeLessThanOrEqual(of(`${unit}_cleanup`).started_at_ms!);
    }
  });

  test('a job that fails for good fails its unit: no merge, no cleanup, and the other units are done', async (context) => {
    const world = makeRequest(context, {
      work: { range: { total: 60, per_job: 10 } },
      jobs_per_unit: 2,
      round: { first_units: 3, units: 3 },
      process: { command: '[ {first} -ne 1 ]', retry: 2 },
      merge: { command: 'true' },
      cleanup: { command: 'true' },
    });
    expect((await world.drive()).code).toBe(3);
    const jobs = Object.fromEntries((await world.jobs()).map(({ name, status }) => [name, status]));
    expect(jobs).toMatchObject({
      unit_000001_proc_01: 'failed',
      unit_000001_proc_02: 'completed',
      unit_000001_merge: 'canceled',
      unit_000001_cleanup: 'canceled',
      unit_000002_cleanup: 'completed',
      unit_000003_cleanup: 'completed',
    });
    expect((await world.units()).map(({ state }) => state)).toEqual(['failed', 'done', 'done']);
    expect(await world.attempts('unit_000001_proc_01')).toHaveLength(3);
  });

  test('a merge that always fails is tried three times, a processing job four times, by default', async (context) => {
    const world = makeRequest(context, {
      work: { range: { total: 20, per_job: 10 } },
      round: { first_units: 2, units: 2 },
      process: { command: '[ {unit} -ne 1 ]' },
      merge: { command: 'false' },
    });
    expect((await world.drive()).code).toBe(3);
    expect(await world.attempts('unit_000001_proc_01')).toHaveLength(4);
    expect(await world.attempts('unit_000002_merge')).toHaveLength(3);
  });
});
