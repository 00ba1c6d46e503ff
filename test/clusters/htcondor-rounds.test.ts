import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DagRunFacts, readDagRun } from '../../src/clusters/htcondor/read/read-dag-run.ts';
import { readRescue } from '../../src/clusters/htcondor/read/rescue-lines.ts';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import { readJobEvents } from '../../src/core/dag/job-events.ts';
import { OUTPUT, startHoldfast } from './condor-cli.ts';
import { type CondorWorld, startCondor } from './condor-world.ts';

let condor: CondorWorld;
beforeAll(async () => {
  condor = await startCondor();
});
afterAll(() => condor.down());

const RULES = `rules:
  - { report_codes: [8021, 8028], category: data, bad_items: reported }
  - { exit_codes: [65, 66, 67], category: permanent }
  - { report_codes: [50660], memory: x1.5, max_memory: 8g }
  - { exit_codes: [99], verdict: abort }
  - { exit_codes: [5], verdict: accept }
`;

interface RequestText {
  units: number;
  command: string;
  retry?: number;
  more?: string;
}

const request = ({ units, command, retry = 0, more = '' }: RequestText) => `kind: request
name: real
work: { range: { total: ${units}, per_job: 1 } }
round: { first_units: ${units} }
process:
  command: |
${command
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
  retry: ${retry}
rulebook: rules.yaml
errors: { cooloff_base_sec: 1 }
${more}`;

async function exported(name: string, text: RequestText, ...options: string[]) {
  const project = condor.project(name, { 'request.yaml': request(text), 'rules.yaml': RULES });
  const directory = await condor.exportDag(project, 'request.yaml', ...options);
  return { project, directory };
}

const stateOf = ({ units }: DagRunFacts) => Object.fromEntries(units.map(({ name, state }) => [name, state]));
const recordsOf = ({ attempts }: DagRunFacts, unit: string) =>
  attempts.filter((each) => each.unit === unit).map(({ record }) => record);
const actionsOf = (facts: DagRunFacts, unit: string) =>
  recordsOf(facts, unit).map(({ classification }) => classification.action);
const doneIn = (directory: string, rescue: string) =>
  readRescue(readFileSync(join(directory, rescue), 'utf8')).done.size;
const until = async (look: () => boolean | Promise<boolean>) => {
  while (!(await look())) await sleep(200);
};

describe.concurrent('DAGMan runs a round', () => {
  test('that condor_submit_dag finds nothing wrong with', async () => {
    const { directory } = await exported('checked', { units: 2, command: 'true' });
    expect(await condor.check(directory)).toContain(join(directory, 'dagman.config'));
  });

  test('and POST scripts on the submit host retry, give up, accept, raise memory and name what ended a job', async () => {
    const { project, directory } = await exported('ends', {
      units: 9,
      retry: 2,
      command: `
case {unit} in
  1) echo "$QUOTED" > quoted ;;
  2) if [ -e tried ]; then exit 0; else touch tried; echo "it's flaky" >&2; exit 7; fi ;;
  3) exit 65 ;;
  4) printf '{"exit_code": 50660}' > "$HOLDFAST_REPORT"; exit 1 ;;
  5) kill -SEGV $$ ;;
  6) sleep 60 ;;
  7) exit 5 ;;
  8) exit 300 ;;
  9) printf '{"exit_code": 8021, "bad_input_files": ["data/a b.root"]}' > "$HOLDFAST_REPORT"; exit 85 ;;
esac`,
      more: 'env: { QUOTED: "a \'b\' \\"c\\" $(d) $HOME \\\\ % ü" }\nsites: [north, south]\n',
    });
    const sub = join(directory, 'u000006/proc_000001.sub');
    writeFileSync(
      sub,
      readFileSync(sub, 'utf8').replace('+HoldfastJob', '+HoldfastTimeLimit = 2\n+HoldfastJob'),
    );
    const facts = await condor.runDag(directory);

    expect(facts.ended).toEqual({ how: 'failures', exitCode: 1 });
    expect(facts.run).toBe(1);
    expect(stateOf(facts)).toEqual({
      u000001: 'done',
      u000002: 'done',
      u000003: 'failed',
      u000004: 'failed',
      u000005: 'failed',
      u000006: 'failed',
      u000007: 'done',
      u000008: 'failed',
      u000009: 'failed',
    });
    expect(readFileSync(join(project, 'quoted'), 'utf8')).toBe('a \'b\' "c" $(d) $HOME \\ % ü\n');
    expect(actionsOf(facts, 'u000002')).toEqual(['retry', 'success']);
    expect(recordsOf(facts, 'u000002')[0]).toMatchObject({
      node_name: 'proc_000001',
      run: 1,
      attempt: 1,
      max_retries: 2,
      final: false,
      job: { exit_code: 7, schedd: hostname(), site: expect.stringMatching(/^(north|south)$/) },
      log_tail: "it's flaky",
    });
    expect(
      readdirSync(join(directory, 'u000002'))
        .filter((name) => name.endsWith('.post.json'))
        .sort(),
    ).toEqual(['proc_000001.post.json', 'proc_000001.r1.a1.post.json', 'proc_000001.r1.a2.post.json']);
    expect(actionsOf(facts, 'u000003')).toEqual(['permanent_failure']);
    expect(actionsOf(facts, 'u000004')).toEqual(['retry', 'retry', 'retries_exhausted']);
    expect(actionsOf(facts, 'u000007')).toEqual(['absorbed']);
    expect(recordsOf(facts, 'u000005').map(({ job }) => job.exit_signal)).toEqual([
      'SIGSEGV',
      'SIGSEGV',
      'SIGSEGV',
    ]);
    expect(recordsOf(facts, 'u000006')[0]!.classification.reason).toMatch(/^timed out/);
    expect(recordsOf(facts, 'u000008')[0]!.job.exit_code).toBe(44);
    expect(recordsOf(facts, 'u000009').map(({ classification }) => classification)).toMatchObject([
      { category: 'data', action: 'permanent_failure', bad_input_files: ['data/a b.root'] },
    ]);
  });

  test('and POST scripts get six macros in the order of the specification, and number their records by run and attempt', async () => {
    const { directory } = await exported('macros', {
      units: 2,
      retry: 2,
      command: 'if [ {unit} = 1 ]; then exit 1; else exit 65; fi',
    });
    const post = join(directory, 'post');
    const log = '#!/bin/sh\nprintf "%s\\n" "$*" >> macros\n';
    writeFileSync(post, readFileSync(post, 'utf8').replace('#!/bin/sh\n', log));
    const macros = (unit: string) => [
      ...new Set(
        readFileSync(join(directory, unit, 'macros'), 'utf8')
          .trim()
          .split('\n'),
      ),
    ];
    await condor.runDag(directory);
    // Node, return code, retry from 0, most retries, status of the DAG, failed nodes. Repeated calls wait for the cool-off.
    const retried = macros('u000001').filter((line) => line.startsWith('proc_000001'));
    expect(retried).toEqual([
      'proc_000001 1 0 2 0 0',
      expect.stringMatching(/^proc_000001 1 1 2 \d 0$/),
      expect.stringMatching(/^proc_000001 1 2 2 \d 0$/),
    ]);
    expect(macros('u000002')).toContain('proc_000001 65 0 2 0 0');
    expect(macros('u000002')).toContainEqual(expect.stringMatching(/^u000002 1 0 0 \d \d --unit$/));
    const records = (unit: string) =>
      readdirSync(join(directory, unit))
        .filter((name) => name.endsWith('.post.json'))
        .sort();
    const numbered = (run: number, count: number) =>
      Array.from({ length: count }, (_, index) => `proc_000001.r${run}.a${index + 1}.post.json`);
    expect(records('u000001')).toEqual(['proc_000001.post.json', ...numbered(1, 3)]);
    expect(records('u000002')).toEqual(['proc_000001.post.json', ...numbered(1, 1)]);
    const newest = (unit: string) => readFileSync(join(directory, unit, 'proc_000001.post.json'), 'utf8');
    expect(newest('u000001')).toBe(
      readFileSync(join(directory, 'u000001/proc_000001.r1.a3.post.json'), 'utf8'),
    );
    // Retries begin at 0 again in a rescue, so that the run is part of the name.
    const second = await condor.runDag(directory);
    expect(second.run).toBe(2);
    expect(records('u000001')).toEqual(['proc_000001.post.json', ...numbered(1, 3), ...numbered(2, 3)]);
    expect(records('u000002')).toEqual(['proc_000001.post.json', ...numbered(1, 1), ...numbered(2, 1)]);
    expect(existsSync(join(directory, 'round.dag.rescue001'))).toBe(true);
    expect(existsSync(join(directory, 'round.dag.rescue002'))).toBe(true);
    // A record that is lost leaves a failure without evidence, not a success.
    rmSync(join(directory, 'u000002/proc_000001.r2.a1.post.json'));
    expect(readDagRun(directory).units).toEqual([
      { name: 'u000001', state: 'failed', noEvidence: false },
      { name: 'u000002', state: 'failed', noEvidence: true },
    ]);
  });

  test('and a rule raises the memory of the next attempt, without touching the submit file', async () => {
    const { directory } = await exported('memory', {
      units: 1,
      retry: 2,
      command: `printf '{"exit_code": 50660}' > "$HOLDFAST_REPORT"; exit 1`,
      more: '',
    });
    const node = join(directory, 'u000001/proc_000001');
    const text = readFileSync(`${node}.sub`, 'utf8').replace('kill_sig', 'request_memory = 100\nkill_sig');
    writeFileSync(`${node}.sub`, text.replace('MachineAttrMachine0', 'MachineAttrMachine0, RequestMemory'));
    const facts = JSON.parse(readFileSync(`${node}.node.json`, 'utf8')) as object;
    writeFileSync(`${node}.node.json`, JSON.stringify({ ...facts, memory_mb: 100 }));
    const before = readFileSync(`${node}.sub`, 'utf8');
    await condor.runDag(directory);
    const asked = readJobEvents(readFileSync(`${node}.log`, 'utf8'))
      .filter(({ lines }) => lines.includes('TriggerEventTypeName = "ULOG_SUBMIT"'))
      .map(({ lines }) => lines.find((line) => line.startsWith('RequestMemory')));
    expect(asked).toEqual(['RequestMemory = 100', 'RequestMemory = 150', 'RequestMemory = 225']);
    expect(readFileSync(`${node}.sub`, 'utf8')).toBe(before);
  });

  test('and an abort ends all units at once, through both levels', async () => {
    const { directory } = await exported('abort', {
      units: 4,
      retry: 3,
      command: 'if [ {unit} = 2 ]; then sleep 4; exit 99; fi; sleep 120',
    });
    const facts = await condor.runDag(directory);
    expect(facts.ended).toEqual({ how: 'aborted', exitCode: 1 });
    expect(stateOf(facts)).toEqual({
      u000001: 'not run',
      u000002: 'failed',
      u000003: 'not run',
      u000004: 'not run',
    });
    expect(actionsOf(facts, 'u000002')).toEqual(['abort']);
    expect(existsSync(join(directory, 'round.dag.rescue001'))).toBe(true);
    expect(existsSync(join(directory, 'u000002/u000002.dag.rescue001'))).toBe(true);
  });

  test('and a held job, a removed one and one without a program are failures of the infrastructure', async () => {
    const { directory } = await exported('held', { units: 3, command: 'sleep 300' }, '--hold-timeout', '2s');
    rmSync(join(directory, 'u000001/proc_000001.sh'));
    writeFileSync(join(directory, 'u000001/proc_000001.sh'), '#!/no/such/program\n');
    const id = await condor.submit(directory);
    const jobs = async () => {
      const lines = await condor.command(
        'condor_q',
        '-constraint',
        'JobUniverse == 5 && regexp("w/held/", Iwd)',
        '-af',
        'ClusterId',
        'Iwd',
        'JobStatus',
      );
      return lines.split('\n').map((line) => line.split(' '));
    };
    let removed: string | undefined;
    let held: string | undefined;
    await until(async () => {
      for (const [cluster, iwd, status] of await jobs()) {
        if (status !== '2') continue;
        if (iwd?.endsWith('u000002')) removed = cluster;
        if (iwd?.endsWith('u000003')) held = cluster;
      }
      return removed !== undefined && held !== undefined;
    });
    await condor.command('condor_rm', removed!);
    await condor.command('condor_hold', held!, '-reason', 'the quota is used up');
    const facts = await condor.ended(directory, id);
    expect(stateOf(facts)).toEqual({ u000001: 'failed', u000002: 'failed', u000003: 'failed' });
    const [missing] = recordsOf(facts, 'u000001');
    const [gone] = recordsOf(facts, 'u000002');
    const [late] = recordsOf(facts, 'u000003');
    for (const record of [missing, gone, late]) {
      expect(record!.classification.category).toBe('infrastructure');
    }
    expect(missing!.job.hold_reason).toMatch(/Failed to execute|No such file|Exec/i);
    expect(gone!.job).toMatchObject({ exit_code: null, exit_signal: null, hold_reason: null });
    expect(late!.job.hold_reason).toContain('the quota is used up');
  });

  test('and a rescue runs what is not done, also in a copy of the directory', async () => {
    const { project, directory } = await exported('rescue', {
      units: 3,
      command: 'echo {unit} >> runs; if [ {unit} = 2 ] && [ "$(cat phase)" -lt 3 ]; then exit 65; fi',
    });
    writeFileSync(join(project, 'phase'), '1');
    const first = await condor.runDag(directory);
    expect(first.ended).toEqual({ how: 'failures', exitCode: 1 });
    writeFileSync(join(project, 'phase'), '2');
    const second = await condor.runDag(directory);
    expect(second.run).toBe(2);
    expect(stateOf(second)).toEqual({ u000001: 'done', u000002: 'failed', u000003: 'done' });
    expect(second.attempts.map(({ unit, record }) => [unit, record.run, record.attempt])).toEqual([
      ['u000002', 2, 1],
    ]);
    writeFileSync(join(project, 'phase'), '3');
    const copy = condor.project('rescue-copy');
    cpSync(directory, copy, { recursive: true });
    const third = await condor.runDag(copy);
    expect(third.ended).toEqual({ how: 'done', exitCode: 0 });
    expect(third.run).toBe(3);
    expect(stateOf(third)).toEqual({ u000001: 'done', u000002: 'done', u000003: 'done' });
    expect(readFileSync(join(project, 'runs'), 'utf8').trim().split('\n').sort()).toEqual([
      '1',
      '2',
      '2',
      '2',
      '3',
    ]);
    expect(
      readdirSync(join(copy, 'u000002'))
        .filter((name) => /\.r\d\.a\d\.post/.test(name))
        .sort(),
    ).toEqual(['proc_000001.r1.a1.post.json', 'proc_000001.r2.a1.post.json', 'proc_000001.r3.a1.post.json']);
  });

  test('and a clean stop keeps what is done and fails nothing', async () => {
    const { project, directory } = await exported('stop', {
      units: 3,
      command: 'if [ {unit} != 1 ] && ! [ -e quick ]; then touch "running-{unit}"; sleep 120; fi',
    });
    const id = await condor.submit(directory);
    await until(
      () =>
        existsSync(join(project, 'running-2')) &&
        existsSync(join(project, 'running-3')) &&
        /DONE/.test(readText(join(directory, 'round.status'))),
    );
    await condor.pool.remove([id]);
    const facts = await condor.ended(directory, id);
    expect(facts.ended).toMatchObject({ how: 'removed' });
    expect(stateOf(facts)).toEqual({ u000001: 'done', u000002: 'not run', u000003: 'not run' });
    await until(async () => (await condor.pool.history([id])).has(id));
    expect((await condor.pool.history([id])).get(id)).toMatchObject({ removed: true, dagStatus: 4 });
    writeFileSync(join(project, 'quick'), '');
    expect(stateOf(await condor.runDag(directory))).toEqual({
      u000001: 'done',
      u000002: 'done',
      u000003: 'done',
    });
  });
});

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

test('the example of 100 units: 60 done, 30 more in a rescue, a stop, and all', {
  timeout: 600_000,
}, async () => {
  const command = `
echo x >> tries-{unit}
tries=$(wc -l < tries-{unit})
if [ {unit} -gt 60 ] && [ "$tries" = 1 ]; then exit 65; fi
if [ {unit} -gt 90 ] && [ "$tries" = 2 ]; then exit 65; fi
if [ {unit} -gt 90 ] && [ "$tries" = 3 ]; then sleep 300; fi`;
  const text = request({ units: 100, command, more: 'executor: htcondor\n' });
  const project = condor.project('hundred', {
    'request.yaml': text.replace('errors: {', 'errors: { error_hold_threshold: 0.5,'),
    'rules.yaml': RULES,
  });
  const units = Array.from({ length: 100 }, (_, index) => index + 1);
  const tries = (unit: number) => readText(join(project, `tries-${unit}`)).length / 2;
  const first = startHoldfast(condor, project, ['run', 'request.yaml']);
  await until(() => units.slice(90).every((unit) => tries(unit) === 3));
  first.child.kill('SIGINT');
  expect(await first.ended).toMatchObject({ code: 130 });
  const round = join(project, OUTPUT, 'requests/real/v1/round_001');
  const directory = join(round, readdirSync(round).find((name) => name.startsWith('dag-'))!);
  const rescues = ['rescue001', 'rescue002', 'rescue003'];
  expect(rescues.map((rescue) => doneIn(directory, `round.dag.${rescue}`))).toEqual([60, 90, 90]);
  expect(readDagRun(directory).units.filter(({ state }) => state === 'not run')).toHaveLength(10);
  expect(
    readdirSync(join(directory, 'u000095'))
      .filter((name) => name.includes('.rescue'))
      .sort(),
  ).toEqual(rescues.map((rescue) => `u000095.dag.${rescue}`));

  expect(await startHoldfast(condor, project, ['requests', 'run', 'real']).ended).toMatchObject({ code: 0 });
  const show = ['requests', 'show', 'real', '--output', 'json'];
  const shown = JSON.parse((await startHoldfast(condor, project, show).ended).stdout) as RequestRecord;
  expect(shown).toMatchObject({ status: 'COMPLETED', delivered: '100' });
  expect(shown.rounds[0]!.runs.map(({ kind }) => kind)).toEqual(['first', 'failure', 'failure', 'stop']);
  const expected = units.map((unit) => (unit <= 60 ? 1 : unit <= 90 ? 2 : 4));
  expect(units.map(tries)).toEqual(expected);
});
