import { describe, expect, test } from 'vitest';
import { jobsWorld, makeWorld } from '../e2e/world.ts';
import { AgentClient } from './agent-client.ts';

const LIMITED = { resource_requirements: [{ name: 'small', memory: '100m', runtime: 'PT1H' }] };

describe('update_job_resources', () => {
  test('changes one job, not those that share its requirement', async (context) => {
    const jobs = ['a', 'b'].map((name) => ({ name, command: 'exit 1', resource_requirements: 'small' }));
    const world = jobsWorld(context, jobs, { ...LIMITED, use_pending_failed: true });
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world, ['--allow', 'update_job_resources']);
    const change = { workflow_id: 1, job_id: 'a', memory: '200m', runtime: '2h' };
    const memory_bytes = { from: 104857600, to: 209715200 };
    expect(await agent.ask('update_job_resources', { ...change, dry_run: true })).toMatchObject({
      dry_run: true,
      memory_bytes,
    });
    const details = (job: string) => agent.ask('get_job_details', { workflow_id: 1, job_id: job });
    expect(await details('a')).toMatchObject({ memory_bytes: 104857600 });
    expect(await agent.ask('update_job_resources', change)).toMatchObject({ dry_run: false, memory_bytes });
    expect(await details('a')).toMatchObject({ memory_bytes: 209715200, runtime_ms: 7_200_000 });
    expect(await details('b')).toMatchObject({ memory_bytes: 104857600 });
    expect(await agent.refusal('update_job_resources', { workflow_id: 1, job_id: 'a' })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

describe('recover_workflow', () => {
  const slow = { name: 'slow', command: 'sleep 30', timeout: '100ms' };
  const broken = { name: 'broken', command: 'exit 1' };

  test('tries again what timed out, in a new run where the old one is complete', async (context) => {
    const world = jobsWorld(context, [slow, broken]);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    const agent = await AgentClient.connect(context, world, ['--allow', 'recover_workflow']);
    const plan = {
      mode: 'new_run',
      retried: [{ name: 'slow', why: 'timeout', runtime_ms: { from: 100, to: 150 } }],
      left: [{ name: 'broken' }],
    };
    const tried = await agent.ask('recover_workflow', { workflow_id: 1, dry_run: true });
    expect(tried).toMatchObject({ ...plan, dry_run: true, decisions_left: 100 });
    expect(await world.status()).toMatchObject({ complete: true });
    expect(await agent.ask('recover_workflow')).toMatchObject({ ...plan, decisions_left: 99 });
    expect(await world.status()).toMatchObject({ complete: false, workflow: { run_id: 2 } });
  });

  test('is held to the limits of an agent', async (context) => {
    const world = jobsWorld(context, [slow, broken], { use_pending_failed: true });
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    const before = await world.jobs();
    const few = await AgentClient.connect(context, world, [
      '--allow',
      'recover_workflow',
      '--max-decisions',
      '0',
    ]);
    expect(await few.refusal('recover_workflow')).toMatchObject({ code: 'AGENT_LIMIT' });
    const sure = await AgentClient.connect(context, world, [
      '--allow',
      'recover_workflow',
      '--min-confidence',
      '0.5',
    ]);
    const all = { workflow_id: 1, retry_unknown: true };
    expect(await sure.refusal('recover_workflow', all)).toMatchObject({ code: 'AGENT_LIMIT' });
    expect(await world.jobs()).toEqual(before);
  });
});

describe('retry_jobs', () => {
  const JOBS = [
    { name: 'sim_1', command: 'exit 1' },
    { name: 'sim_2', command: 'exit 2' },
    { name: 'good', command: 'true' },
    { name: 'after', command: 'true', depends_on: ['good'] },
  ];
  const why = { reason: 'the storage is back' };

  test('chooses as `holdfast retry` does, first without changing anything', async (context) => {
    const world = jobsWorld(context, JOBS);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    const agent = await AgentClient.connect(context, world, ['--allow', 'retry_jobs']);
    const ask = (args: object) => agent.ask('retry_jobs', { workflow_id: 1, ...why, ...args });
    const failed = { jobs: [{ name: 'sim_1' }, { name: 'sim_2', status: 'failed' }], mode: 'retry' };
    expect(await ask({ failed: true })).toMatchObject({ ...failed, dry_run: true, decisions_left: 100 });
    expect(await ask({ patterns: ['sim_*'] })).toMatchObject(failed);
    expect(await ask({ from: ['good'] })).toMatchObject({
      mode: 'new_run',
      jobs: [{ name: 'good', status: 'completed' }, { name: 'after' }],
    });
    expect(await ask({ from: ['good'], only: true })).toMatchObject({ jobs: [{ name: 'good' }] });
    expect(await world.status()).toMatchObject({ complete: true });

    const [group] = (await agent.ask('list_failed_jobs')).groups as { fingerprint: string }[];
    expect(await ask({ fingerprint: group!.fingerprint, dry_run: false })).toMatchObject({
      dry_run: false,
      jobs: [{ name: expect.stringMatching(/^sim_/) }],
      decisions_left: 99,
    });
    expect(await world.status()).toMatchObject({ complete: false, workflow: { run_id: 1 } });
    const refusal = (args: object) => agent.refusal('retry_jobs', { workflow_id: 1, ...why, ...args });
    expect(await refusal({})).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await refusal({ only: true, failed: true })).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await refusal({ jobs: ['good'] })).toMatchObject({ code: 'NOT_RETRYABLE' });
  });

  test('is held to the limits of an agent', async (context) => {
    const world = jobsWorld(context, JOBS);
    await world.run('run', 'spec.json');
    const before = await world.jobs();
    const all = { workflow_id: 1, failed: true, dry_run: false, ...why };
    const limited = async (...flags: string[]) => {
      const agent = await AgentClient.connect(context, world, ['--allow', 'retry_jobs', ...flags]);
      return agent.refusal('retry_jobs', all);
    };
    expect(await limited('--max-decisions', '1')).toMatchObject({ code: 'AGENT_LIMIT' });
    expect(await limited('--min-confidence', '0.5')).toMatchObject({ code: 'AGENT_LIMIT' });
    const usual = await AgentClient.connect(context, world, []);
    expect(await usual.refusal('retry_jobs', all)).toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
    expect(await world.jobs()).toEqual(before);
  });
});

describe('create_workflow', () => {
  const spec = 'name: made\njobs:\n  - name: hello\n    command: echo hi\n    supports_termination: true\n';

  test('checks first, stores when asked to, and never runs', async (context) => {
    const world = makeWorld(context, {});
    const agent = await AgentClient.connect(context, world, ['--allow', 'create_workflow']);
    expect(await agent.ask('create_workflow', { spec })).toMatchObject({
      dry_run: true,
      workflow_id: null,
      jobs: ['hello'],
      notes: [expect.stringContaining('jobs[0].supports_termination: is not used')],
    });
    expect(await agent.refusal('get_workflow_status')).toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    const made = await agent.ask('create_workflow', { spec, dry_run: false });
    expect(made).toMatchObject({ workflow_id: 1, next: 'A person starts it with `holdfast run 1`.' });
    expect(await world.status()).toMatchObject({ complete: false, attempts: { finished: 0 } });
    expect((await world.run('run', '1')).code).toBe(0);
  });

  test('reports every mistake with its place', async (context) => {
    const world = makeWorld(context, {});
    const agent = await AgentClient.connect(context, world, ['--allow', 'create_workflow']);
    const wrong =
      'name: made\njobs:\n  - name: a\n    comand: x\n  - name: b\n    command: x\n    depends_on: [c]\n';
    const refused = await agent.refusal('create_workflow', { spec: wrong, dry_run: false });
    expect(refused.code).toBe('INVALID_SPEC');
    expect(refused.message).toContain('workflow.yaml:4:5');
    expect(await agent.refusal('get_workflow_status')).toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  });
});
