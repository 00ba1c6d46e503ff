import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_RULE } from '../../src/core/policy/failure-rule.ts';
import { DEFAULT_RETRY } from '../../src/core/policy/retry-policy.ts';
import type { PostRecord } from '../../src/core/request/post-record.ts';
import { type CliResult, makeProject, startCli } from './run-cli.ts';

const RULES = `rules:
  - { report_codes: [8021, 8028], category: data, bad_items: reported }
  - { exit_codes: [65, "66-67"], category: permanent }
  - { report_codes: [50660], memory: x1.5, max_memory: 8g }
  - { stderr: 'No space left|HTTP 507', category: infrastructure, delay: 2m }
  - { exit_codes: [99], verdict: abort }
  - { exit_codes: [5], verdict: accept }
  - { holds: 'disk full', category: permanent }
`;

function node(files: Record<string, string | object> = {}) {
  const cwd = makeProject({ 'rules.yaml': RULES, ...files });
  return {
    cwd,
    post: (...args: string[]): Promise<CliResult> => startCli(['post', ...args], { cwd }).ended,
    record: (name = 'a.post.json') => JSON.parse(readFileSync(join(cwd, name), 'utf8')) as PostRecord,
    records: () =>
      readdirSync(cwd)
        .filter((name) => name.endsWith('.post.json'))
        .sort(),
  };
}

describe.concurrent('holdfast post with the macros of DAGMan', () => {
  test('writes the record of a failed attempt, and a copy', async () => {
    const { post, record, records } = node({ 'a.err': 'broken\n' });
    const { code, stdout, stderr } = await post('a', '1', '0', '3', '0', '0');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ category: 'transient', reason: stderr.trim() });
    expect(stderr).toBe('exit 1: transient (no rule matches), retry 1 of 3\n');
    expect(records()).toEqual(['a.post.json', 'a.r1.a1.post.json']);
    expect(record()).toEqual(record('a.r1.a1.post.json'));
    expect(record()).toEqual({
      node_name: 'a',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      run: 1,
      attempt: 1,
      max_retries: 3,
      final: false,
      job: {
        exit_code: 1,
        exit_signal: null,
        hold_reason: null,
        wall_time_sec: null,
        cpu_time_sec: null,
        memory_mb: null,
        site: null,
        schedd: hostname(),
      },
      report: null,
      cmssw: null,
      classification: {
        category: 'transient',
        retryable: true,
        bad_input_files: [],
        action: 'retry',
        rule: null,
        reason: stderr.trim(),
      },
      problems: [],
      log_tail: 'broken',
    });
  });

  test('has one file for each attempt, and another run after a rescue', async () => {
    const { post, records, record } = node();
    await post('a', '1', '0', '1', '0', '0');
    await post('a', '1', '1', '1', '0', '0');
    expect(record()).toMatchObject({
      run: 1,
      attempt: 2,
      final: true,
      classification: { action: 'retries_exhausted' },
    });
    expect((await post('a', '0', '0', '1', '0', '0')).code).toBe(0);
    expect(records()).toEqual(['a.post.json', 'a.r1.a1.post.json', 'a.r1.a2.post.json', 'a.r2.a1.post.json']);
    expect(record()).toMatchObject({
      run: 2,
      final: true,
      classification: { category: null, action: 'success' },
    });
  });

  test.each([
    ['0', 0, { exit_code: 0, exit_signal: null }, null, 'success'],
    ['65', 42, { exit_code: 65 }, 'permanent', 'permanent_failure'],
    ['67', 42, { exit_code: 67 }, 'permanent', 'permanent_failure'],
    ['99', 43, { exit_code: 99 }, 'transient', 'abort'],
    ['5', 0, { exit_code: 5 }, 'transient', 'absorbed'],
    ['7', 1, { exit_code: 7 }, 'transient', 'retry'],
    ['-11', 1, { exit_code: null, exit_signal: 'SIGSEGV' }, 'transient', 'retry'],
    ['139', 1, { exit_code: 139, exit_signal: 'SIGSEGV' }, 'transient', 'retry'],
    ['-1001', 1, { exit_code: null, exit_signal: null }, 'infrastructure', 'retry'],
    ['-1002', 1, { exit_code: null }, 'infrastructure', 'retry'],
  ])('RETURN %s exits with %i', async (returned, code, job, category, action) => {
    const { post, record } = node();
    expect((await post('a', returned, '0', '3', '0', '0', '--rulebook', 'rules.yaml')).code).toBe(code);
    expect(record()).toMatchObject({ job, classification: { category, action } });
  });

  test('finds the bad file in the report', async () => {
    const error_message = 'FileReadError: Unable to read /store/data/file_001.root';
    const input_files = ['/store/data/file_001.root', '/store/data/file_002.root'];
    const { post, record } = node({ 'a.report.json': { exit_code: 8021, error_message, input_files } });
    const { code, stdout } = await post('a', '85', '1', '3', '0', '0', '--rulebook', 'rules.yaml');
    expect(code).toBe(42);
    expect(JSON.parse(stdout)).toMatchObject({
      category: 'data',
      bad_inputs: ['/store/data/file_001.root'],
      report_code: 8021,
      message: error_message,
    });
    const { report, cmssw, classification, final } = record();
    expect(report).toMatchObject({ exit_code: 8021, input_files, error_message });
    expect(cmssw).toEqual(report);
    expect(classification).toMatchObject({ rule: 1, bad_input_files: ['/store/data/file_001.root'] });
    expect(final).toBe(true);
  });

  test('finds patterns in stderr, and keeps 200 of its lines', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);
    const { post, record } = node({ 'a.err': `${lines.join('\n')}\nHTTP 507\n` });
    const { code, stdout } = await post('a', '1', '0', '3', '0', '0', '--rulebook=rules.yaml');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ category: 'infrastructure', delay: '2m' });
    expect(record().log_tail.split('\n')).toEqual([...lines.slice(101), 'HTTP 507']);
  });

  test('reads in the log of a removed job why it was held', async () => {
    const log =
      '000 (1.0.0) 2026-01-01 Job submitted\n...\n012 (1.0.0) 2026-01-01 Job was held.\n\tdisk full on node 7\n\tCode 3 Subcode 0\n...\n';
    const { post, record } = node({ 'a.log': log });
    expect((await post('a', '-1002', '0', '3', '0', '0')).code).toBe(1);
    expect(record()).toMatchObject({
      job: { hold_reason: 'disk full on node 7' },
      classification: { category: 'infrastructure' },
    });
    expect((await post('a', '-1002', '1', '3', '0', '0', '--rulebook', 'rules.yaml')).code).toBe(42);
  });

  test('takes its exit codes from options', async () => {
    const { post } = node();
    const codes = ['--rulebook', 'rules.yaml', '--unless-exit-code', '77', '--abort-dag-code', '78'];
    expect((await post('a', '65', '0', '3', '0', '0', ...codes)).code).toBe(77);
    expect((await post('a', '99', '0', '3', '0', '0', ...codes)).code).toBe(78);
  });

  test('defers the retry while a cool-off runs, without another record', async () => {
    const { cwd, post, records } = node({ 'a.err': 'x' });
    const call = () => post('a', '1', '1', '3', '0', '0', '--cooloff-base-sec', '1000');
    const first = await call();
    expect([first.code, JSON.parse(first.stdout)]).toEqual([75, expect.objectContaining({ delay: '2000s' })]);
    expect(await call()).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/^the cool-off ends in \d+ s\n$/),
    });
    const file = join(cwd, 'a.cooloff.json');
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), due_at_ms: Date.now() - 1 }),
    );
    expect(await call()).toMatchObject({ code: 1, stderr: 'the cool-off is over\n' });
    expect(records()).toEqual(['a.post.json', 'a.r1.a2.post.json']);
    expect(readdirSync(cwd)).not.toContain('a.cooloff.json');
  });

  test('does not take the cool-off of another attempt for its own', async () => {
    const { cwd, post, records } = node({ 'a.err': 'x' });
    const call = () => post('a', '1', '0', '3', '0', '0', '--cooloff-base-sec', '1000');
    expect((await call()).code).toBe(75);
    utimesSync(join(cwd, 'a.err'), 1, 1);
    expect((await call()).code).toBe(75);
    expect(records()).toEqual(['a.post.json', 'a.r1.a1.post.json', 'a.r2.a1.post.json']);
  });

  test('has no cool-off for the last attempt', async () => {
    const { post } = node();
    expect((await post('a', '1', '3', '3', '0', '0', '--cooloff-base-sec', '1000')).code).toBe(1);
  });

  test.each([
    [['a', '1', '0', '3', '0'], /expected no arguments, or six/],
    [['a', 'x', '0', '3', '0', '0'], /RETURN: must be a whole number/],
    [['a', '1', '-1', '3', '0', '0'], /RETRY: must be a whole number/],
    [['a', '1', '0', '3', '0', '0', '--nothing', '1'], /unknown option --nothing/],
    [['a', '1', '0', '3', '0', '0', '--unless-exit-code', '300'], /--unless-exit-code: must be/],
    [['a', '1', '0', '3', '0', '0', '--output', 'xml'], /--output: must be table, json or quiet/],
  ])('%j exits with 1, and leaves a record that says why', async (args, message) => {
    const { post, record } = node();
    const { code, stderr, stdout } = await post(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(record('a.r1.a1.post.json').classification).toMatchObject({
      action: 'retry',
      reason: expect.stringMatching(message),
    });
  });

  test.each(['../a', 'a/b', '..', ''])('refuses the name %j', async (name) => {
    const { cwd, post } = node();
    const { code, stderr } = await post(name, '1', '0', '3', '0', '0');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is not a name of a node/)]);
    expect(readdirSync(cwd)).toEqual(['rules.yaml']);
  });

  test.each([
    ['missing.yaml', 'the rulebook cannot be read'],
    ['broken.yaml', 'the rulebook cannot be used: broken.yaml:1:19: rules[0].stderr: not a valid pattern'],
  ])('classifies without the rulebook %s, and says so', async (file, problem) => {
    const { post, record } = node({ 'broken.yaml': 'rules: [{ stderr: "(" }]' });
    expect((await post('a', '0', '0', '3', '0', '0', '--rulebook', file)).code).toBe(0);
    expect((await post('a', '1', '0', '3', '0', '0', '--rulebook', file)).code).toBe(1);
    expect(record().problems).toEqual([expect.stringContaining(problem)]);
  });

  test('keeps its exit code where the record cannot be written', async () => {
    const { cwd, post } = node({ file: 'not a directory' });
    const { code, stdout } = await post(
      'a',
      '65',
      '0',
      '3',
      '0',
      '0',
      '--rulebook',
      'rules.yaml',
      '--dir',
      'file',
    );
    expect(code).toBe(42);
    expect(JSON.parse(stdout).problem).toMatch(/^the post record was not written: /);
    if (process.getuid?.() === 0) return;
    mkdirSync(join(cwd, 'locked'));
    chmodSync(join(cwd, 'locked'), 0o500);
    expect((await post('a', '0', '0', '3', '0', '0', '--dir', 'locked')).code).toBe(0);
  });

  test('waits for nothing, whatever the evidence is', async () => {
    const { cwd, post, record } = node();
    expect(spawnSync('mkfifo', [join(cwd, 'a.report.json'), join(cwd, 'a.err')]).status).toBe(0);
    expect((await post('a', '1', '0', '3', '0', '0')).code).toBe(1);
    expect(record()).toMatchObject({ problems: ['the report is not a file'], log_tail: '' });
  });

  test('prints nothing that moves a cursor', async () => {
    const { post } = node({
      'a.report.json': { exit_code: 8021, error_message: 'x\x1b[2J', bad_input_files: ['\x1b]0;owned\x07f'] },
    });
    const { stdout, stderr } = await post('a', '1', '0', '3', '0', '0', '--rulebook', 'rules.yaml');
    expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  test('says nothing with --output quiet but its line of JSON', async () => {
    const { post } = node();
    expect(await post('a', '1', '0', '3', '0', '0', '--output', 'quiet')).toMatchObject({ stderr: '' });
  });
});

describe.concurrent('holdfast post without arguments', () => {
  test('needs the file of an attempt', async () => {
    const { code, stderr } = await node().post();
    expect([code, stderr]).toEqual([1, expect.stringMatching(/HOLDFAST_OUTCOME must name the file/)]);
  });

  test('has help', async () => {
    const { code, stdout } = await node().post('--help');
    expect([code, stdout]).toEqual([0, expect.stringContaining('--cooloff-base-sec')]);
  });
});

describe.concurrent('holdfast post in a directory of htcondor export', () => {
  const LOG = `000 (7.000.000) 2026-01-01 10:00:00 Job submitted from host: <127.0.0.1>
    DAG Node: a
...
001 (7.000.000) 2026-01-01 10:00:01 Job executing on host: <127.0.0.1>
	SlotName: slot1@host
...
028 (7.000.000) 2026-01-01 10:00:01 Job ad information event triggered.
MachineAttrGLIDEIN_Site0 = "north"
...
005 (7.000.000) 2026-01-01 10:00:31 Job terminated.
	(1) Normal termination (return value 7)
		Usr 0 00:00:20, Sys 0 00:00:05  -  Run Remote Usage
	   Memory (MB)          :      400      500       512
...
`;
  const RUN = { format: 1, dag: 'round.dag', run: 1, units: ['u000001'], site_attribute: 'GLIDEIN_Site' };
  const FACTS = {
    job: 'unit_000001_proc_01',
    items: ['x', 'y'],
    memory_mb: 500,
    time_limit_sec: 60,
    retry: { ...DEFAULT_RETRY, max_retries_failure: 3, initial_retry_delay_ms: 0 },
    handler: null,
    continue_on_failure: false,
  };
  const files = (more: Record<string, string | object> = {}) => ({
    'run.json': RUN,
    'a.node.json': FACTS,
    'a.override': '',
    'a.log': LOG,
    ...more,
  });
  const given = ['--run-file', 'run.json', '--rulebook', 'rules.yaml'];

  test('reads site, times and usage in the log of the job', async () => {
    const { post, record } = node(files());
    expect((await post('a', '7', '0', '3', '0', '0', ...given)).code).toBe(1);
    expect(record()).toMatchObject({
      run: 1,
      job: { site: 'north', wall_time_sec: 30, cpu_time_sec: 25, memory_mb: 400, schedd: hostname() },
    });
  });

  test('takes the number of the run from the rescue files, also where run.json is as it was', async () => {
    const { post, records } = node(
      files({ 'round.dag.rescue001': '', 'round.dag.rescue002': '', 'round.dag.rescue2': '' }),
    );
    await post('a', '7', '0', '3', '0', '0', ...given);
    expect(records()).toContain('a.r3.a1.post.json');
  });

  test('raises memory and time in the file that the submit file includes, as long as retries are left', async () => {
    const { cwd, post } = node(files({ 'a.report.json': { exit_code: 50660 } }));
    const override = () => readFileSync(join(cwd, 'a.override'), 'utf8');
    await post('a', '1', '0', '2', '0', '0', ...given);
    expect(override()).toBe('request_memory = 750\n');
    await post('a', '1', '1', '2', '0', '0', ...given);
    expect(override()).toBe('request_memory = 1125\n');
    await post('a', '1', '2', '2', '0', '0', ...given);
    expect(override()).toBe('request_memory = 1125\n');
  });

  test('knows a job that its time limit removed, and one that was removed after a hold', async () => {
    const removed = `009 (7.000.000) 2026-01-01 10:01:02 Job was aborted.
	The job attribute PeriodicRemove expression '(…)' evaluated to TRUE
...
`;
    const held = '012 (7.000.000) 2026-01-01 10:00:40 Job was held.\n\tdisk full\n\tCode 3 Subcode 0\n...\n';
    const started = LOG.slice(0, LOG.indexOf('005'));
    const late = node(files({ 'a.log': started + removed }));
    await late.post('a', '-1002', '0', '3', '0', '0', '--run-file', 'run.json');
    expect(late.record().classification).toMatchObject({
      category: 'transient',
      reason: expect.stringMatching(/^timed out \(limit 1m/),
    });
    const hold = node(files({ 'a.log': started + held + removed }));
    await hold.post('a', '-1002', '0', '3', '0', '0', '--run-file', 'run.json');
    expect(hold.record()).toMatchObject({
      job: { hold_reason: 'disk full' },
      classification: { category: 'infrastructure' },
    });
  });

  test('decides by the failure handler and the retry policy of the job, as the engine would', async () => {
    const rule = { ...DEFAULT_RULE, exitCodes: [[7, 7]], maxRetries: 2 };
    const handler = { name: 'h', rules: [rule, { ...DEFAULT_RULE, exitCodes: [[9, 9]], verdict: 'abort' }] };
    const { post, record } = node(files({ 'a.node.json': { ...FACTS, handler } }));
    expect((await post('a', '7', '0', '5', '0', '0', '--run-file', 'run.json')).code).toBe(1);
    // Of two executions both are used, although DAGMan has retries left.
    expect((await post('a', '7', '1', '5', '0', '0', '--run-file', 'run.json')).code).toBe(42);
    expect(record()).toMatchObject({ final: true, classification: { action: 'retries_exhausted' } });
    expect((await post('a', '9', '0', '5', '0', '0', '--run-file', 'run.json')).code).toBe(43);
    const retry = { ...FACTS.retry, no_retry_on_exit_codes: [7] };
    const strict = node(files({ 'a.node.json': { ...FACTS, retry } }));
    expect((await strict.post('a', '7', '0', '3', '0', '0', '--run-file', 'run.json')).code).toBe(42);
  });

  test('a job that nothing depends on ends with 0 when no retry is left', async () => {
    const { post, record } = node(files({ 'a.node.json': { ...FACTS, continue_on_failure: true } }));
    expect((await post('a', '7', '0', '1', '0', '0', '--run-file', 'run.json')).code).toBe(1);
    expect((await post('a', '7', '1', '1', '0', '0', '--run-file', 'run.json')).code).toBe(0);
    expect(record()).toMatchObject({ final: true, classification: { action: 'absorbed' } });
  });

  test('a unit passes an abort of this run on, and else what its DAG exited with', async () => {
    const { post, records } = node(files());
    const unit = (returned: string) =>
      post('u000001', returned, '0', '0', '0', '0', '--run-file', 'run.json', '--unit');
    expect((await unit('1')).code).toBe(1);
    expect((await unit('-1002')).code).toBe(1);
    await post('a', '99', '0', '3', '0', '0', ...given);
    expect((await unit('1')).code).toBe(43);
    expect((await unit('0')).code).toBe(0);
    await post('a', '0', '0', '3', '0', '0', '--run', '2');
    expect(records()).not.toContain('u000001.post.json');
    const later = node(files({ 'round.dag.rescue001': '' }));
    await later.post('a', '99', '0', '3', '0', '0', ...given, '--run', '1');
    expect(
      (await later.post('u000001', '1', '0', '0', '0', '0', '--run-file', 'run.json', '--unit')).code,
    ).toBe(1);
  });
});
