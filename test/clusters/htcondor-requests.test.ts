import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import type { PostRecord } from '../../src/core/request/post-record.ts';
import { OUTPUT, startHoldfast, until } from './condor-cli.ts';
import { type CondorWorld, startCondor } from './condor-world.ts';

let condor: CondorWorld;
beforeAll(async () => {
  condor = await startCondor();
});
afterAll(() => condor.down());

const RULES = `rules:
  - { report_codes: [8021], category: data, bad_items: reported }
  - { exit_codes: [65], category: permanent }
  - { exit_codes: [5], verdict: accept }
  - { exit_codes: [99], verdict: abort }
`;

interface RequestText {
  name: string;
  units: number;
  total?: number;
  command: string;
  errors?: string;
  more?: string;
}

const request = ({
  name,
  units,
  total = units,
  command,
  errors = '',
  more = '',
}: RequestText) => `kind: request
name: ${name}
work: { range: { total: ${total}, per_job: 1 } }
round: { first_units: ${units}, units: ${units} }
process:
  command: |
${command
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
  retry: 1
rulebook: rules.yaml
errors: { cooloff_base_sec: 1${errors === '' ? '' : `, ${errors}`} }
${more}`;

const start = (project: string, ...args: string[]) => startHoldfast(condor, project, args);
const holdfast = (project: string, ...args: string[]) => start(project, ...args).ended;

async function shown(project: string, name: string): Promise<RequestRecord> {
  const { stdout, stderr } = await holdfast(project, 'requests', 'show', name, '--output', 'json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as RequestRecord;
}

/** What must be the same, whoever ran it. */
const ledger = ({ status, delivered, cursor, hold, rounds }: RequestRecord) => ({
  status,
  delivered,
  cursor,
  hold: hold === null ? null : { code: hold.code, failed: hold.failed_units, total: hold.total_units },
  rounds: rounds.map(({ number, state, units, runs }) => ({
    number,
    state,
    units,
    runs: runs.map(({ kind }) => kind),
  })),
});

async function attemptsOf(project: string, workflow: number) {
  const { stdout } = await holdfast(project, 'attempts', String(workflow), '--output', 'json');
  return stdout;
}

const dagDirectory = (project: string, name: string, round = '001') => {
  const base = join(project, OUTPUT, 'requests', name, 'v1', `round_${round}`);
  return join(base, readdirSync(base).find((each) => each.startsWith('dag-'))!);
};

/** The same request with workers and on DAGMan, each in a directory of its own. */
async function both(name: string, spec: string) {
  const results = [];
  for (const executor of ['workers', 'htcondor']) {
    const project = condor.project(`${name}-${executor}`, {
      'request.yaml': `${spec}executor: ${executor}\n`,
      'rules.yaml': RULES,
    });
    const { code, stderr } = await holdfast(project, 'run', 'request.yaml');
    results.push({ project, code, stderr, request: await shown(project, name) });
  }
  return { workers: results[0]!, dagman: results[1]! };
}

describe.concurrent('a request whose rounds DAGMan runs', () => {
  test('gives the same ledger and exit code as with workers: retries, rescue, two rounds', async () => {
    const spec = request({
      name: 'same',
      units: 6,
      total: 11,
      command: `
case {unit} in
  2) if [ -e tried-2 ]; then exit 0; else touch tried-2; exit 7; fi ;;
  3) if [ -e tried-3-b ]; then exit 0; elif [ -e tried-3 ]; then touch tried-3-b; exit 65; else touch tried-3; exit 65; fi ;;
  4) exit 5 ;;
esac`,
    });
    const { workers, dagman } = await both('same', spec);
    expect(dagman.stderr).not.toMatch(/error/i);
    expect(ledger(dagman.request)).toEqual(ledger(workers.request));
    expect(dagman.request.status).toBe('COMPLETED');
    expect([workers.code, dagman.code]).toEqual([0, 0]);
    expect(dagman.request.rounds[0]!.runs.map(({ kind }) => kind)).toEqual(['first', 'failure', 'failure']);
    expect(existsSync(join(dagDirectory(dagman.project, 'same'), 'round.dag.rescue002'))).toBe(true);
    const [first] = dagman.request.rounds;
    const attempts = await attemptsOf(dagman.project, first!.workflow_id);
    expect(JSON.parse(attempts)).toHaveLength(6 + 1 + 2);
  });

  test('is held as with workers, and errors name category, site and exit code', async () => {
    const command = 'case {unit} in 1) echo broken >&2; exit 65 ;; esac';
    const { workers, dagman } = await both('held', request({ name: 'held', units: 4, command }));
    expect(ledger(dagman.request)).toEqual(ledger(workers.request));
    expect(dagman.request).toMatchObject({
      status: 'HELD',
      hold: { code: 'failure_ratio', failed_units: 1 },
    });
    expect([workers.code, dagman.code]).toEqual([3, 3]);
    const { stdout } = await holdfast(dagman.project, 'requests', 'errors', 'held', '--output', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      by_category: { permanent: 1 },
      by_exit_code: { 65: 1 },
      groups: [{ count: 1, log_tail: 'broken' }],
    });
  });

  test('is aborted as with workers: what runs is ended at once, and has not failed', async () => {
    const command = 'case {unit} in 1) sleep 3; exit 99 ;; *) touch "began-{unit}"; sleep 120 ;; esac';
    const { workers, dagman } = await both('aborted', request({ name: 'aborted', units: 4, command }));
    expect(ledger(dagman.request)).toEqual(ledger(workers.request));
    expect(dagman.request).toMatchObject({ status: 'HELD', hold: { failed_units: 1, total_units: 4 } });
    expect([workers.code, dagman.code]).toEqual([3, 3]);
  });

  test('runs nothing at a site that was banned before its rescue', async () => {
    const command = 'touch began; if [ -e go ]; then sleep 1; else sleep 300; fi';
    const project = condor.project('banned', {
      'request.yaml': `${request({ name: 'banned', units: 6, command })}executor: htcondor\n`,
      'rules.yaml': RULES,
    });
    const first = start(project, 'run', 'request.yaml');
    await until(() => existsSync(join(project, 'began')));
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 130 });
    const directory = dagDirectory(project, 'banned');
    const sub = readFileSync(join(directory, 'u000001/proc_000001.sub'), 'utf8');
    expect(await holdfast(project, 'sites', 'ban', 'south', '--reason', 'storage')).toMatchObject({
      code: 0,
    });
    writeFileSync(join(project, 'go'), '');
    expect(await holdfast(project, 'requests', 'run', 'banned')).toMatchObject({ code: 0 });
    const records = [1, 2, 3, 4, 5, 6].map((unit) =>
      readFileSync(join(directory, `u00000${unit}/proc_000001.post.json`), 'utf8'),
    );
    // Six jobs at once need more than the four slots of the site north.
    expect(records.map((text) => (JSON.parse(text) as PostRecord).job.site)).toEqual(
      Array.from({ length: 6 }, () => 'north'),
    );
    expect(readFileSync(join(directory, 'u000001/proc_000001.sub'), 'utf8')).toBe(sub);
  });

  test('is stopped cleanly by Ctrl-C and continued: what is done stays done, the rest is no failure', async () => {
    const project = condor.project('stopped', {
      'request.yaml': `${request({
        name: 'stopped',
        units: 4,
        command: `
echo x >> ran-{unit}
case {unit} in 1|2) exit 0 ;; *) [ -e go ] || sleep 300 ;; esac`,
      })}executor: htcondor\n`,
      'rules.yaml': RULES,
    });
    const first = start(project, 'run', 'request.yaml');
    await until(() => [1, 2, 3, 4].every((unit) => existsSync(join(project, `ran-${unit}`))));
    await until(() => {
      const status = join(dagDirectory(project, 'stopped'), 'round.status');
      return existsSync(status) && (readFileSync(status, 'utf8').match(/STATUS_DONE/g) ?? []).length >= 2;
    });
    first.child.kill('SIGINT');
    const { code, stderr } = await first.ended;
    expect({ code, stderr }).toMatchObject({ code: 130 });
    const stopped = await shown(project, 'stopped');
    expect(stopped).toMatchObject({ status: 'QUEUED', delivered: '2' });
    expect(stopped.rounds[0]).toMatchObject({ state: 'STOPPED' });
    writeFileSync(join(project, 'go'), '');
    const second = await holdfast(project, 'requests', 'run', 'stopped');
    expect(second).toMatchObject({ code: 0 });
    const end = await shown(project, 'stopped');
    expect(end.rounds[0]!.runs.map(({ kind }) => kind)).toEqual(['first', 'stop']);
    expect(end).toMatchObject({ status: 'COMPLETED', delivered: '4' });
    expect(readFileSync(join(project, 'ran-1'), 'utf8')).toBe('x\n');
    expect(readFileSync(join(project, 'ran-3'), 'utf8')).toBe('x\nx\n');
  });

  test('survives the death of the process that drives it: the run is found, and not submitted twice', async () => {
    const project = condor.project('killed', {
      'request.yaml': `${request({
        name: 'killed',
        units: 3,
        command: 'echo x >> ran-{unit}; while [ ! -e go ]; do sleep 0.2; done',
      })}executor: htcondor\n`,
      'rules.yaml': RULES,
    });
    const first = start(project, 'run', 'request.yaml');
    await until(() => existsSync(join(project, 'ran-1')));
    first.child.kill('SIGKILL');
    await first.ended;
    writeFileSync(join(project, 'go'), '');
    expect(await holdfast(project, 'requests', 'run', 'killed')).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, 'ran-1'), 'utf8')).toBe('x\n');
    expect((await shown(project, 'killed')).rounds[0]!.runs).toHaveLength(1);
    rmSync(join(project, 'go'));
  });

  test('has the items, outputs and attempts of workers, with merge, cleanup and a bad file', async () => {
    const spec = `kind: request
name: files
work: { items: [a, b, c, bad, e, f], per_job: 1 }
jobs_per_unit: 2
round: { first_units: 3, units: 3 }
process:
  command: |
    for item in {items}; do
      if [ "$item" = bad ]; then
        printf '{"exit_code": 8021, "bad_input_files": ["bad"]}' > "$HOLDFAST_REPORT"
        exit 1
      fi
      echo "$item" > {output}
    done
  retry: 1
merge: { command: "cat {inputs} > {output}" }
cleanup: { command: "rm -f {inputs}" }
outputs: "data/{unit}.txt"
rulebook: rules.yaml
errors: { cooloff_base_sec: 1, error_hold_threshold: 0.5, error_max_rescue_attempts: 1, when_exhausted: advance }
`;
    const { workers, dagman } = await both('files', spec);
    expect(ledger(dagman.request)).toEqual(ledger(workers.request));
    expect(dagman.request.items).toEqual(workers.request.items);
    expect(dagman.request).toMatchObject({
      status: 'COMPLETED',
      items: { fresh: 0, attempted: 0, processed: 5, excluded: 1 },
    });
    expect(readFileSync(join(dagman.project, 'data/1.txt'), 'utf8')).toBe('a\nb\n');
    const shape = async ({ project, request: { rounds } }: typeof dagman) => {
      const all = await Promise.all(rounds.map(({ workflow_id }) => attemptsOf(project, workflow_id)));
      return all
        .flatMap(
          (text) =>
            JSON.parse(text) as { job_name: string; run_id: number; verdict: string; category: string }[],
        )
        .map(({ job_name, run_id, verdict, category }) => `${job_name} ${run_id} ${verdict} ${category}`)
        .sort();
    };
    expect(await shape(dagman)).toEqual(await shape(workers));
  });

  test('is submitted once, although the process died between the submission and its record', async () => {
    const project = condor.project('died', {
      'request.yaml': `${request({ name: 'died', units: 2, command: 'echo x >> ran-{unit}' })}executor: htcondor\n`,
      'rules.yaml': RULES,
      die: '',
    });
    expect(await holdfast(project, 'run', 'request.yaml')).toMatchObject({ code: null });
    expect(await holdfast(project, 'requests', 'run', 'died')).toMatchObject({ code: 0 });
    for (const unit of [1, 2]) expect(readFileSync(join(project, `ran-${unit}`), 'utf8')).toBe('x\n');
    const history = await holdfast(project, 'requests', 'history', 'died', '--output', 'json');
    expect(history.stdout.match(/"dag_submitted"/g)).toHaveLength(1);
  });

  test('leaves nothing in the queue when it is failed', async () => {
    const project = condor.project('failed', {
      'request.yaml': `${request({ name: 'failed', units: 1, command: 'touch ran; sleep 300' })}executor: htcondor\n`,
      'rules.yaml': RULES,
    });
    const first = start(project, 'run', 'request.yaml');
    await until(() => existsSync(join(project, 'ran')));
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await holdfast(project, 'requests', 'fail', 'failed')).toMatchObject({ code: 0 });
    const directory = dagDirectory(project, 'failed');
    await until(async () => {
      const queue = await condor.command('condor_q', '-allusers', '-af', 'Iwd');
      return !queue.includes(directory);
    });
    expect(await shown(project, 'failed')).toMatchObject({ status: 'FAILED' });
  });

  test('is worked off by a server on a submit host, beside workers that take none of it', async () => {
    const project = condor.project('served', {
      'request.yaml': `${request({ name: 'served', units: 3, command: 'echo x >> ran-{unit}' })}executor: htcondor\n`,
      'rules.yaml': RULES,
    });
    const server = start(project, 'serve', '--port', '0', '--with-worker');
    const url = await new Promise<string>((resolve) => {
      server.child.stdout!.on('data', (text: string) => {
        const [found] = /http:\/\/\S+/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const { code, stderr } = await holdfast(project, 'run', 'request.yaml', '--server', url);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(existsSync(join(dagDirectory(project, 'served'), 'round.dag.metrics'))).toBe(true);
    expect(readFileSync(join(project, 'ran-1'), 'utf8')).toBe('x\n');
    server.child.kill('SIGTERM');
    await server.ended;
  });
});

test('a request continues where the schedd was away: nothing ended, and nothing was submitted twice', async () => {
  const project = condor.project('away', {
    'request.yaml': `${request({
      name: 'away',
      units: 2,
      command: 'echo x >> ran-{unit}; while [ ! -e go ]; do sleep 0.2; done',
    })}executor: htcondor\n`,
    'rules.yaml': RULES,
  });
  const running = start(project, 'run', 'request.yaml');
  await until(() => existsSync(join(project, 'ran-1')) && existsSync(join(project, 'ran-2')));
  await condor.stopSchedd();
  await sleep(12_000);
  expect((await shown(project, 'away')).rounds[0]!.runs).toHaveLength(1);
  await condor.startSchedd();
  writeFileSync(join(project, 'go'), '');
  expect(await running.ended).toMatchObject({ code: 0 });
  expect((await shown(project, 'away')).rounds[0]).toMatchObject({ state: 'COMPLETED', units: { done: 2 } });
  const history = await holdfast(project, 'requests', 'history', 'away', '--output', 'json');
  expect(history.stdout.match(/"dag_submitted"/g)).toHaveLength(1);
});
