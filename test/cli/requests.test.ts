import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RequestChange, RequestRecord } from '../../src/contract/records/request.ts';
import { type CliResult, makeProject, runCli, startCli, until } from './run-cli.ts';

/** Two units of two numbers; the job of number 1 fails for good. */
const HALF = `kind: request
name: half
work: { range: { total: 4, per_job: 1 } }
jobs_per_unit: 2
process: { command: 'test {first} -gt 1 || { echo broken disk >&2; exit 7; }', retry: 0 }
errors: { error_hold_threshold: 0.5 }
`;

const ITEMS = `kind: request
name: files
work: { items: [a.root, b.root], per_job: 1 }
process: { command: 'test {items} = a.root', retry: 0 }
`;

interface Project {
  cwd: string;
  holdfast: (...args: string[]) => Promise<CliResult>;
  json: <T>(...args: string[]) => Promise<T>;
}

function project(files: Record<string, string> = {}): Project {
  const cwd = makeProject(files);
  const holdfast = (...args: string[]) => runCli(args, { cwd });
  return {
    cwd,
    holdfast,
    json: async (...args) => {
      const { code, stdout, stderr } = await holdfast(...args, '--output', 'json');
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    },
  };
}

const stateOf = async ({ json }: Project, name = 'half') =>
  (await json<RequestRecord>('requests', 'show', name)).status;

/** A project in which the request has run until it was held. */
async function held(): Promise<Project> {
  const made = project({ 'half.yaml': HALF });
  expect(await made.holdfast('run', 'half.yaml')).toMatchObject({ code: 3 });
  return made;
}

/** The sentence of a refusal, which changes nothing. */
async function refusal({ holdfast }: Project, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(...args);
  expect([args.join(' '), code, stdout]).toEqual([args.join(' '), 2, '']);
  return stderr.split('\n')[0]!;
}

describe('holdfast run of a request', () => {
  test('exits with 3 when it is held, and shows what to do next', async () => {
    const { holdfast } = project({ 'half.yaml': HALF });
    const { code, stdout, stderr } = await holdfast('run', 'half.yaml');
    expect(code).toBe(3);
    expect(stderr).toContain('round 1 begins: 2 units (workflow 1)\n');
    expect(stderr).toContain('held: 1 of 2 units failed (50 %), the threshold is 50 %\n');
    expect(stdout).toContain('half@1  HELD  2 of 4 delivered (50 %)\n');
    expect(stdout).toContain('next: holdfast requests errors half ');
  });

  test('exits with 0 when it is complete, and with the state alone for scripts', async () => {
    const { holdfast } = project({ 'half.yaml': HALF.replace('exit 7', 'exit 0') });
    const { code, stdout } = await holdfast('run', 'half.yaml', '--output', 'quiet');
    expect([code, stdout]).toEqual([0, 'COMPLETED\n']);
  });

  test.each([
    ['--force'],
    ['--debug'],
    ['--no-failure-routing'],
    ['--on-fail-max-loops', '2'],
    ['--retry-max', '2'],
    ['--context', 'context.json'],
  ])('refuses %s, which only workflows have a use for', async (...flag) => {
    const made = project({ 'half.yaml': HALF, 'context.json': '{}' });
    expect(await refusal(made, 'run', 'half.yaml', ...flag)).toBe(
      `error: ${flag[0]}: has no effect on a request`,
    );
    expect(existsSync(join(made.cwd, '.holdfast'))).toBe(false);
  });

  test('with --dry-run plans and stores nothing', async () => {
    const { holdfast, cwd } = project({ 'half.yaml': HALF });
    const { code, stdout } = await holdfast('run', 'half.yaml', '--dry-run');
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'request half']);
    expect(readdirSync(cwd)).toEqual(['half.yaml']);
  });

  test('refuses a site that is none of the request, before anything is stored', async () => {
    const made = project({ 'half.yaml': `${HALF}sites: [north, south]\n` });
    expect(await refusal(made, 'run', 'half.yaml')).toBe(
      'error: request half runs only at north, south, and this machine is at local',
    );
    expect(await refusal(made, 'run', 'half.yaml', '--site', 'a b')).toBe(
      'error: --site: must be at most 100 letters, digits and . _ @ : / = -',
    );
    expect(existsSync(join(made.cwd, '.holdfast'))).toBe(false);
    expect(await made.holdfast('run', 'half.yaml', '--site', 'south')).toMatchObject({ code: 3 });
    const { by_site } = await made.json<{ by_site: object }>('requests', 'errors', 'half');
    expect(by_site).toEqual({ south: { total: 4, failed: 1 } });
  });

  test('refuses a name whose request has not ended', async () => {
    expect(await refusal(await held(), 'run', 'half.yaml')).toBe('error: request half exists and is HELD');
  });

  test('at a banned site starts no job and says why; Ctrl-C stops it', async () => {
    const made = project({ 'half.yaml': HALF });
    await made.holdfast('run', 'half.yaml');
    await made.holdfast('sites', 'ban', 'local', '--reason', 'storage is down');
    await made.holdfast('requests', 'release', 'half');
    const running = startCli(['requests', 'run', 'half'], { cwd: made.cwd });
    await until(() => running.output().stderr.includes('round 2 begins'), 'the round begins');
    expect(running.output().stderr).toContain(
      'no job starts here: site local is banned (storage is down); holdfast sites unban local removes the ban',
    );
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(await stateOf(made)).toBe('QUEUED');
  });
});

describe('holdfast requests', () => {
  test('lists requests, newest first, by state', async () => {
    const { holdfast, json } = project({ 'half.yaml': HALF, 'files.yaml': ITEMS });
    expect(await holdfast('requests')).toMatchObject({ code: 2 });
    await holdfast('run', 'half.yaml');
    await holdfast('run', 'files.yaml');
    expect((await holdfast('requests', 'list', '--output', 'quiet')).stdout).toBe('files@1\nhalf@1\n');
    const { stdout } = await holdfast('requests');
    expect(stdout.split('\n')[0]).toMatch(/^NAME +STATE +PRIORITY +DELIVERED +CHANGED +WHY$/);
    expect(stdout.split('\n')[2]).toMatch(/^half@1 +HELD +0 +2 of 4 /);
    expect(await json<object[]>('requests', 'list', '--state', 'held,QUEUED')).toMatchObject([
      { request_name: 'files', version: 1, status: 'HELD', work: 'inventory', cursor: null, total: '2' },
      { request_name: 'half', version: 1, status: 'HELD', work: 'range', cursor: '5', total: '4' },
    ]);
    expect(await json<object[]>('requests', '--state', 'COMPLETED')).toEqual([]);
  });

  test('shows one by its name and version', async () => {
    const { holdfast, json } = await held();
    const shown = await json<RequestRecord>('requests', 'show', 'half@1');
    expect(shown).toMatchObject({
      request_name: 'half',
      status: 'HELD',
      delivered: '2',
      hold: { code: 'failure_ratio', round: 1, failed_units: 1, total_units: 2 },
      rounds: [{ number: 1, state: 'PARTIAL', units: { total: 2, done: 1, failed: 1, not_run: 0 } }],
      next: ['errors', 'release', 'restart', 'fail'],
    });
    expect((await holdfast('requests', 'show', 'half', '--output', 'quiet')).stdout).toBe('HELD\n');
  });

  test('summarises failures with the end of a log', async () => {
    const made = await held();
    const { stdout } = await made.holdfast('requests', 'errors', 'half');
    expect(stdout.split('\n')).toEqual([
      'half round 1: 50 % of the units failed, 0 rescues',
      'by category: transient 1',
      'by exit code: 7 1',
      'by site: local 1 of 4 attempts failed',
      '',
      'transient unit_000001_proc_01 attempt 1',
      '  exit 7: transient (no rule matches), no retries allowed',
      '  | broken disk',
      '',
    ]);
    expect(await made.json('requests', 'errors', 'half', '--round', '1')).toMatchObject({
      round: 1,
      workflow_id: 1,
      by_exit_code: { '7': 1 },
      groups: [{ count: 1, node: 'unit_000001_proc_01', attempt: 1, log_tail: 'broken disk' }],
    });
    expect(await refusal(made, 'requests', 'errors', 'half', '--round', '2')).toBe(
      'error: request half has no round 2',
    );
  });

  test('lists units and items', async () => {
    const { holdfast, json } = await held();
    expect(await json('requests', 'units', 'half', '--round', '1')).toMatchObject([
      { number: 1, round: 1, state: 'failed', first: '1', last: '2', size: 2 },
      { number: 2, round: 1, state: 'done', first: '3', last: '4', size: 2 },
    ]);
    expect((await holdfast('requests', 'units', 'half', '--output', 'quiet')).stdout).toBe('1\n2\n');
    expect((await holdfast('requests', 'items', 'half')).stdout).toBe('no items\n');
    const files = project({ 'files.yaml': ITEMS });
    await files.holdfast('run', 'files.yaml');
    expect(await files.json('requests', 'items', 'files')).toMatchObject([
      { path: 'a.root', state: 'processed', reason: null, unit: 1 },
      { path: 'b.root', state: 'attempted', reason: 'its unit failed in round 1', unit: 2 },
    ]);
    expect((await files.holdfast('requests', 'items', 'files', '--output', 'quiet')).stdout).toBe(
      'a.root\nb.root\n',
    );
  });

  test('releases with changes, and `run` continues with the next round', async () => {
    const made = await held();
    const { stdout } = await made.holdfast(
      ...['requests', 'release', 'half', '--retries', '1', '--rescues', '2', '--memory', '100m'],
      ...['--threshold', '0.6', '--reason', 'the disk is new'],
    );
    expect(stdout).toBe(
      'half: HELD → QUEUED; released; `holdfast requests run half` continues it; memory 100 MB; 1 retry; threshold 0.6; 2 rescues\n',
    );
    expect((await made.json<RequestRecord>('requests', 'show', 'half')).settings).toMatchObject({
      error_hold_threshold: 0.6,
      error_max_rescue_attempts: 2,
    });
    const run = await made.holdfast('requests', 'run', 'half', '--output', 'quiet');
    expect([run.code, run.stdout]).toEqual([0, 'COMPLETED\n']);
    expect(await made.json('requests', 'units', 'half', '--round', '2')).toMatchObject([
      { number: 3, first: '5', last: '6', state: 'done' },
    ]);
    // Nothing is left to run.
    expect(await made.holdfast('requests', 'run', 'half')).toMatchObject({ code: 0 });
  });

  test('refuses a release of which one part is impossible as a whole', async () => {
    const made = await held();
    const before = await made.json<RequestRecord>('requests', 'show', 'half');
    const words = ['requests', 'release', 'half', '--retries', '2', '--ban', 'north', '--exclude', 'x'];
    for (const flag of [[], ['--dry-run']]) {
      expect(await refusal(made, ...words, ...flag)).toBe(
        'error: excluded_files: the request is a range and has no files; nothing was changed',
      );
    }
    expect(await made.json('requests', 'show', 'half')).toEqual(before);
    expect(await made.json('sites')).toEqual([]);
  });

  test('excludes an item for good', async () => {
    const made = project({ 'files.yaml': ITEMS });
    await made.holdfast('run', 'files.yaml');
    expect(await refusal(made, 'requests', 'release', 'files', '--exclude', 'c.root')).toBe(
      'error: excluded_files: no such item of the request: c.root; nothing was changed',
    );
    expect(await refusal(made, 'requests', 'release', 'files', '--exclude', 'a.root')).toBe(
      'error: excluded_files: already processed, so that it is too late to exclude: a.root; nothing was changed',
    );
    expect(await refusal(made, 'requests', 'release', 'files', '--ban', '')).toBe(
      'error: --ban: name the site',
    );
    const { stdout } = await made.holdfast('requests', 'release', 'files', '--exclude', 'b.root');
    expect(stdout).toContain('; 1 item excluded');
    expect(await made.holdfast('requests', 'run', 'files')).toMatchObject({ code: 0 });
    expect(await made.json('requests', 'items', 'files')).toMatchObject([
      { path: 'a.root', state: 'processed' },
      { path: 'b.root', state: 'excluded', unit: 2 },
    ]);
  });

  test('pauses and resumes, and stops what is not running without changing it', async () => {
    const made = await held();
    expect(await made.json('requests', 'pause', 'half')).toEqual({
      request_name: 'half',
      status: 'PAUSED',
      previous_status: 'HELD',
      message: 'paused; `resume` puts it back into the queue',
    });
    expect(await made.holdfast('requests', 'run', 'half')).toMatchObject({ code: 3 });
    expect((await made.holdfast('requests', 'resume', 'half', '--output', 'quiet')).stdout).toBe('QUEUED\n');
    expect((await made.holdfast('requests', 'stop', 'half')).stdout).toBe(
      'half: QUEUED; nothing of it is running; `pause` keeps it out of the queue\n',
    );
    expect((await made.holdfast('requests', 'stop', 'half', '--pause')).stdout).toBe(
      'half: QUEUED → PAUSED; paused; `resume` puts it back into the queue\n',
    );
  });

  test('restarts as the next version, and fails one for good', async () => {
    const made = await held();
    expect(await made.json('requests', 'restart', 'half')).toEqual({
      request_name: 'half',
      status: 'FAILED',
      previous_status: 'HELD',
      message: 'failed; half@2 replaces it',
      new_request: 'half',
      new_version: 2,
    });
    expect(await made.json('requests', 'show', 'half@1')).toMatchObject({
      status: 'FAILED',
      superseded_by_request: 'half@2',
      output_state: 'active',
    });
    expect(await made.json('requests', 'show', 'half')).toMatchObject({
      version: 2,
      status: 'QUEUED',
      previous_version_request: 'half@1',
    });
    expect((await made.holdfast('requests', 'fail', 'half', '--reason', 'not needed')).stdout).toBe(
      'half: QUEUED → FAILED; failed; its outputs are invalidated\n',
    );
    expect(await made.json('requests', 'show', 'half')).toMatchObject({ output_state: 'invalidated' });
    expect(await made.holdfast('requests', 'run', 'half')).toMatchObject({ code: 1 });
  });

  test.each([['release', '--retries', '2', '--ban', 'local'], ['pause'], ['fail'], ['restart']])(
    '%s with --dry-run changes nothing',
    async (...action) => {
      const made = await held();
      const before = await made.json<RequestRecord>('requests', 'show', 'half');
      const { code, stdout } = await made.holdfast(
        ...['requests', action[0]!, 'half', ...action.slice(1), '--dry-run'],
      );
      expect(code).toBe(0);
      expect(stdout).toMatch(/^would change half: HELD → .*\(nothing was changed\)\n$/);
      expect(await made.json('requests', 'show', 'half')).toEqual(before);
      expect(await made.json('sites', 'list')).toMatchObject([]);
    },
  );

  test('refuses an action that the state does not allow, and names the states that do', async () => {
    const made = await held();
    const sentence = (action: string, needs: string, state = 'HELD') =>
      `error: cannot ${action} request half@1: it is ${state}, and ${action} needs ${needs}`;
    expect(await refusal(made, 'requests', 'resume', 'half')).toBe(sentence('resume', 'PAUSED'));
    expect(await refusal(made, 'requests', 'stop', 'half')).toBe(
      sentence('stop', 'SUBMITTED, QUEUED, PLANNING, ACTIVE'),
    );
    await made.holdfast('requests', 'fail', 'half');
    const open = 'SUBMITTED, QUEUED, PLANNING, ACTIVE, STOPPING, RESUBMITTING, PAUSED, HELD';
    expect(await refusal(made, 'requests', 'release', 'half')).toBe(sentence('release', 'HELD', 'FAILED'));
    expect(await refusal(made, 'requests', 'pause', 'half')).toBe(
      sentence('pause', 'SUBMITTED, QUEUED, PLANNING, HELD', 'FAILED'),
    );
    expect(await refusal(made, 'requests', 'fail', 'half')).toBe(sentence('fail', open, 'FAILED'));
    expect(await refusal(made, 'requests', 'restart', 'half')).toBe(sentence('restart', open, 'FAILED'));
    const { stdout, stderr } = await made.holdfast('requests', 'fail', 'half', '--output', 'json');
    expect([stdout, JSON.parse(stderr)]).toEqual([
      '',
      {
        error: {
          code: 'REQUEST_STATE',
          message: sentence('fail', open, 'FAILED').slice(7),
          hint: expect.any(String),
        },
      },
    ]);
  });

  test('refuses names and actions that are not there', async () => {
    const made = await held();
    for (const action of [
      'show',
      'errors',
      'units',
      'items',
      'release',
      'fail',
      'restart',
      'stop',
      'pause',
      'resume',
      'run',
    ]) {
      for (const name of ['nobody', 'half@2', 'half@x', 'half@', '@1']) {
        expect(await refusal(made, 'requests', action, name)).toBe(`error: there is no request ${name}`);
      }
      expect(await refusal(made, 'requests', action)).toBe(
        'error: name: name the request, as `holdfast requests list` shows it',
      );
    }
    expect(await refusal(made, 'requests', 'relase', 'half')).toMatch(
      /^error: requests: there is no action relase.*release.*\(list, show, errors, /,
    );
  });

  test.each([
    [['show', 'half', '--ban', 'north'], '--ban: only with `requests release`'],
    [['fail', 'half', '--exclude', 'a'], '--exclude: only with `requests release`'],
    [['stop', 'half', '--retries', '1'], '--retries: only with `requests release`'],
    [['pause', 'half', '--pause'], '--pause: only with `requests stop`'],
    [['show', 'half', '--dry-run'], '--dry-run: only with `requests release` or `requests fail` or'],
    [['list', '--round', '1'], '--round: only with `requests errors` or `requests units`'],
    [['show', 'half', '--state', 'HELD'], '--state: only with `requests list`'],
    [['show', 'half', '--cpus', '2'], '--cpus: only with `requests run`'],
    [['release', 'half', '--site', 'north'], '--site: only with `requests run`'],
    [['list', '--state', 'HELP'], '--state: there is no state HELP'],
    [['errors', 'half', '--round', 'last'], '--round: '],
    [['release', 'half', '--retries', '-1'], '--retries: '],
    [['release', 'half', '--rescues', 'x'], '--rescues: '],
    [['release', 'half', '--threshold', '1.5'], '--threshold: must be a number from 0 to 1, not 1.5'],
    [['release', 'half', '--threshold', 'a lot'], '--threshold: must be a number from 0 to 1, not a lot'],
    [['release', 'half', '--memory', 'much'], '--memory: '],
  ])('refuses `requests %j` with a sentence', async (args, sentence) => {
    const made = project({ 'half.yaml': HALF });
    expect(await refusal(made, 'requests', ...args)).toContain(sentence);
  });

  test('stops a request cleanly while it runs, and keeps what is finished', async () => {
    const made = project({
      'slow.yaml': `kind: request
name: slow
work: { range: { total: 2, per_job: 1 } }
process: { command: 'test {first} -eq 1 || test -e go || exec sleep 600', retry: 0 }
`,
    });
    const running = startCli(['run', 'slow.yaml'], { cwd: made.cwd });
    const units = () => made.json<{ state: string }[]>('requests', 'units', 'slow').catch(() => []);
    await until(async () => (await units())[0]?.state === 'done', 'the first unit is done');
    expect(await made.json<RequestChange>('requests', 'stop', 'slow', '--pause', '--dry-run')).toMatchObject({
      previous_status: 'ACTIVE',
      status: 'STOPPING',
    });
    expect(await stateOf(made, 'slow')).toBe('ACTIVE');
    expect((await made.holdfast('requests', 'stop', 'slow', '--pause')).stdout).toBe(
      'slow: ACTIVE → STOPPING; stopping; finished units are kept, and it stays paused afterwards\n',
    );
    expect((await running.ended).code).toBe(130);
    const stopped = await made.json<RequestRecord>('requests', 'show', 'slow');
    expect(stopped).toMatchObject({ status: 'PAUSED', rounds: [{ state: 'STOPPED', units: { done: 1 } }] });
    await made.holdfast('requests', 'resume', 'slow');
    const again = startCli(['requests', 'run', 'slow'], { cwd: made.cwd });
    await until(() => again.output().stderr.includes('round 1 is resumed'), 'the round is resumed');
    again.child.kill('SIGINT');
    expect((await again.ended).code).toBe(130);
    expect((await made.json<RequestRecord>('requests', 'show', 'slow')).rounds).toMatchObject([
      { number: 1, state: 'STOPPED', units: { done: 1 } },
    ]);
  });
});

describe('holdfast sites', () => {
  test('bans and unbans a site, for one request or all work', async () => {
    const made = await held();
    const banned = await made.holdfast(
      'sites',
      'ban',
      'north',
      '--reason',
      'storage is down',
      '--duration',
      '2d',
    );
    expect(banned.stdout).toMatch(/^site north is banned for all work until .*: storage is down\n$/);
    expect(
      await made.json('sites', 'ban', 'north', '--request', 'half', '--reason', 'slow', '--duration', '12h'),
    ).toMatchObject({ id: 2, site: 'north', request_name: 'half@1', reason: 'slow', evidence: null });
    expect((await made.holdfast('sites', 'ban', 'south', '--output', 'quiet')).stdout).toBe('3\n');
    const sites =
      await made.json<{ name: string; bans: { created_at_ms: number; expires_at_ms: number }[] }[]>('sites');
    expect(sites.map(({ name, bans }) => [name, bans.length])).toEqual([
      ['north', 2],
      ['south', 1],
    ]);
    const days = sites.flatMap(({ bans }) =>
      bans.map((ban) => (ban.expires_at_ms - ban.created_at_ms) / 86_400_000),
    );
    expect(days).toEqual([2, 0.5, 7]);
    expect((await made.holdfast('sites', '--output', 'quiet')).stdout).toBe('north\nsouth\n');
    expect((await made.holdfast('sites', 'unban', 'north', '--request', 'half')).stdout).toBe(
      '1 ban of site north removed\n',
    );
    expect(await made.json('sites', 'unban', 'north')).toEqual({ removed: 1 });
    expect((await made.holdfast('sites', 'unban', 'north')).stdout).toBe('site north has no ban\n');
    expect((await made.holdfast('sites', 'unban', 'south', '--output', 'quiet')).stdout).toBe('1\n');
    expect((await made.holdfast('sites')).stdout).toBe('no sites\n');
  });

  test.each([
    [['blame', 'north'], 'sites: there is no action blame (list, ban, unban)'],
    [['ban'], 'site: name the site'],
    [['ban', ' '], 'site: name the site'],
    [['unban'], 'site: name the site'],
    [['list', '--reason', 'x'], '--reason: only with `sites ban`'],
    [['unban', 'north', '--duration', '2d'], '--duration: only with `sites ban`'],
    [['list', '--request', 'half'], '--request: only with `sites ban` or `sites unban`'],
    [['ban', 'north', '--duration', 'long'], '--duration: '],
    [['ban', 'north', '--request', 'nobody'], 'there is no request nobody'],
    [['unban', 'north', '--request', 'nobody'], 'there is no request nobody'],
  ])('refuses `sites %j` with a sentence', async (args, sentence) => {
    const made = project({ 'half.yaml': HALF });
    await made.holdfast('run', 'half.yaml');
    expect(await refusal(made, 'sites', ...args)).toContain(`error: ${sentence}`);
    expect(await made.json('sites')).toEqual([]);
  });
});
