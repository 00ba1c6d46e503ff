import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeProject, runCli } from './run-cli.ts';

const SPEC = {
  name: 'campaign',
  failure_handlers: [
    {
      name: 'redo',
      rules: [
        { exit_codes: [10, 11], recovery_script: './fix.sh', max_retries: 4 },
        { causes: ['oom'], memory: 'x1.5', max_memory: '4g', max_retries: 4 },
        { stderr: 'licen[cs]e busy', delay: '5m' },
      ],
    },
  ],
  jobs: [
    {
      name: 'train',
      command: 'false',
      failure_handler: 'redo',
      resource_requirements: { memory: '2g' },
      retry: { max_retries_failure: 1, retry_on_exit_codes: [75] },
    },
    { name: 'checked', command: 'false', post: './check.sh', retry: { max_retries_failure: 2 } },
  ],
};

const cwd = makeProject({
  'spec.json': SPEC,
  'one.json': { name: 'one', jobs: [{ name: 'only', command: 'false' }] },
});
const simulated = (outcomes: string, job = 'train', ...more: string[]) =>
  runCli(['simulate', 'spec.json', '--job', job, '--outcomes', outcomes, ...more], { cwd });

describe('simulate', () => {
  test('shows the policy, the course and its end, and runs and stores nothing', async () => {
    const { code, stdout } = await simulated('10,oom,lost,0', 'train', '--duration', '30s');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'job train',
      '  exit 10 and 11: up to 4 executions; run `./fix.sh` first',
      '  out of memory: up to 4 executions; memory x1.5, at most 4g',
      '  stderr matching "licen[cs]e busy": up to 3 executions; wait 5m00s',
      '  exit 75: retried once, after 1s',
      '  everything else fails',
      '',
      ' TIME  EXECUTION  OUTCOME               VERDICT    WHY                                                           NEXT',
      '  0ms          1  exit 10               retry      rule 1 of redo: execution 2 of 4, at once                     execution 2 at 30s, after ./fix.sh',
      '  30s          2  out of memory         retry      rule 2 of redo: execution 3 of 4, at once, with 3g of memory  execution 3 at 1m00s, memory 3g',
      '1m00s          3  lost with its worker  requeue    lost with its worker, preemption 1 of 100                     execution 4 at 1m30s',
      '1m30s          4  exit 0                completed  it succeeded                                                  ends',
      '',
      'completed after 4 executions, 2m00s',
      '',
    ]);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('shows what would follow where the outcomes run out, and which were not needed', async () => {
    expect((await simulated('10')).stdout).toContain(
      'not at its end after 1 execution: execution 2 at 1m00s, after ./fix.sh would follow; add its outcome to --outcomes',
    );
    expect((await simulated('1,0,5')).stdout).toContain(
      'failed after 1 execution, 1m00s\nnot used, because the job has ended by then: 0, 5\n',
    );
  });

  test('takes what stderr and the post script say', async () => {
    expect((await simulated('1:license busy')).stdout).toContain(
      'rule 3 of redo: execution 2 of 3 after 5m00s',
    );
    expect((await simulated('0/42', 'checked')).stdout).toContain('its category is permanent');
    expect((await simulated('1,0', 'checked', '--output', 'quiet')).stdout).toBe('completed\n');
  });

  test('prints one JSON object, or only the status', async () => {
    const { stdout } = await simulated('75,1,0', 'train', '--output', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      job: 'train',
      status: 'failed',
      unused: ['0'],
      steps: [
        { attempt_id: 1, match_code: 75, rule: 'retry', next: { wait_ms: 1000, starts_at_ms: 61_000 } },
        { attempt_id: 2, starts_at_ms: 61_000, handler_outcome: 'NoMatchingRule', next: null },
      ],
    });
    expect((await simulated('10', 'train', '--output', 'quiet')).stdout).toBe('ready\n');
    const only = await runCli(['simulate', 'one.json', '--outcomes', 'SEGV', '--output', 'quiet'], { cwd });
    expect(only).toMatchObject({ code: 0, stdout: 'terminated\n' });
  });

  test.each([
    [['spec.json', '--job', 'train'], '--outcomes: is needed, such as 10,oom,lost,0'],
    [['spec.json', '--outcomes', '1'], '--job: is needed, because the spec has 2 jobs'],
    [['spec.json', '--job', 'trian', '--outcomes', '1'], 'the spec has no job trian; did you mean "train"?'],
    [['spec.json', '--job', 'train', '--outcomes', '1,boom'], '--outcomes: boom is no outcome'],
    [['spec.json', '--job', 'train', '--outcomes', '1/42'], '1/42: the job has no post script'],
    [
      ['spec.json', '--job', 'train', '--outcomes', '1', '--duration', 'long'],
      '--duration: must be a duration',
    ],
    [['none.json', '--outcomes', '1'], 'none.json: there is no such file'],
  ])('exits with 2 for %s', async (args, message) => {
    const { code, stdout, stderr } = await runCli(['simulate', ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('validate', () => {
  test('says what happens when jobs fail, once for each policy', async () => {
    const project = makeProject({
      'sweep.yaml': `failure_handlers: [{name: h, rules: [{exit_codes: [10], recovery_script: fix.sh}, {exit_codes: [10]}]}]
jobs:
  - { name: "a{i}", command: x, failure_handler: h, parameters: { i: "1:5" } }
  - { name: b, command: x }
`,
    });
    const { code, stdout } = await runCli(['validate', 'sweep.yaml'], { cwd: project });
    expect(code).toBe(0);
    expect(
      stdout,
    ).toBe(`sweep.yaml:1:83: failure_handlers[0].rules[1]: warning: the rule can never fire: rule 1 takes all its exit codes
sweep.yaml: valid, workflow sweep with 6 jobs

when a1, a2, a3 and 2 more fail:
  exit 10: up to 3 executions; run \`fix.sh\` first
  exit 10: up to 3 executions
  everything else fails

when b fails:
  any failure is final
`);
    const json = await runCli(['validate', 'sweep.yaml', '--output', 'json'], { cwd: project });
    expect(JSON.parse(json.stdout).policies).toMatchObject([
      { jobs: ['a1', 'a2', 'a3', 'a4', 'a5'] },
      { jobs: ['b'], policy: ['any failure is final'] },
    ]);
  });
});
