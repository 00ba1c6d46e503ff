import { describe, expect, test } from 'vitest';
import { jobsWorld } from '../e2e/world.ts';
import { AgentClient, type Answer } from './agent-client.ts';

const UPF = { use_pending_failed: true };
/** One answer, as structured content and as text. */
const MOST_BYTES = 110 * 1024;

const ASK_ALL: [tool: string, more: object][] = [
  ['list_pending_failed_jobs', {}],
  ['get_workflow_status', {}],
  ['get_workflow_summary', {}],
  ['list_failed_jobs', {}],
  ['list_jobs_by_status', {}],
  ['get_job_details', { job_id: 1 }],
  ['get_job_logs', { job_id: 1 }],
  ['get_job_logs', { job_id: 1, stream: 'stdout', lines: 200 }],
  ['get_job_logs', { job_id: 1, from_line: 1, lines: 200 }],
  ['explain_job', { job_id: 1 }],
  ['check_resource_utilization', {}],
  ['list_results', {}],
  ['get_execution_plan', {}],
];

async function askAll(agent: AgentClient): Promise<void> {
  for (const [tool, more] of ASK_ALL) await agent.ask(tool, { workflow_id: 1, ...more });
}

describe('answers', () => {
  test('stay small however much a job writes', async (context) => {
    const noise = 'head -c 3000000 /dev/zero | tr "\\0" "x"; yes "a line that is repeated" | head -n 100000';
    const world = jobsWorld(
      context,
      [{ name: 'loud', command: `{ ${noise}; } | tee /dev/stderr; echo "the end" >&2; exit 1` }],
      UPF,
    );
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world);
    const { jobs } = await agent.pending();
    const { untrusted_text, truncated } = jobs[0].stderr;
    expect(truncated).toBe(true);
    expect(untrusted_text.split('\n')).toHaveLength(50);
    expect(untrusted_text.endsWith('the end')).toBe(true);
    await askAll(agent);
    for (const answer of agent.heard) expect(Buffer.byteLength(answer)).toBeLessThan(MOST_BYTES);
  });

  test('to many failures show each kind, count the rest and name those alike', async (context) => {
    const lines = 'for i in $(seq 60); do echo "{k}: \\"quoted\\" $(printf %0200d $i)" >&2; done; exit 1';
    const world = jobsWorld(
      context,
      [
        { name: 'same_{i}', command: lines.replace('{k}', 'same'), parameters: { i: '1:60' } },
        { name: 'other', command: 'echo "KeyError: 7" >&2; exit 2' },
      ],
      UPF,
    );
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world);
    const { jobs, left_out, alike } = await agent.pending();
    expect(jobs.length + left_out).toBe(61);
    expect(left_out).toBeGreaterThan(0);
    expect(jobs.slice(0, 2).map(({ match_code }: Answer) => match_code)).toEqual([1, 2]);
    expect(jobs[0].stderr).not.toBeNull();
    expect(jobs[1].stderr.untrusted_text).toBe('KeyError: 7');
    expect(jobs.some((job: Answer) => job.stderr === null && job.stderr_left_out)).toBe(true);
    const { fingerprint } = jobs[0];
    expect(alike).toEqual([{ fingerprint, job_ids: expect.any(Array) }]);
    expect(new Set([...jobs.map(({ job_id }: Answer) => job_id), ...alike[0].job_ids]).size).toBe(61);
    expect((await agent.ask('list_failed_jobs')).groups).toMatchObject([{ job_count: 60 }, { job_count: 1 }]);
    // All of them in one call.
    const all = [...jobs.map(({ job_id }: Answer) => job_id), ...alike[0].job_ids];
    const decided = await agent.classify(all.map((job_id) => ({ job_id, action: 'fail' })));
    expect(decided.summary).toContain('61 are failed');
    for (const answer of agent.heard) expect(Buffer.byteLength(answer)).toBeLessThan(MOST_BYTES);
  });

  test('never have secrets or control characters, wherever they were put', async (context) => {
    const ofJob = 'job-secret-0123456789';
    const ofServer = 'server-secret-9876543210';
    const both = `${ofJob} ${ofServer}`;
    const world = jobsWorld(
      context,
      [
        {
          name: `leaky ${both}`,
          command: `printf '\\033[31m%s\\000\\001\\233\\377 ${both}\\n' "$API_TOKEN" | tee /dev/stderr; exit 1`,
          env: { API_TOKEN: ofJob },
        },
        { name: 'after', command: `echo ${ofServer}`, depends_on: [`leaky ${both}`] },
      ],
      { ...UPF, description: both },
    );
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world, [], { env: { DB_PASSWORD: ofServer } });
    await askAll(agent);
    await agent.classify([{ job_id: 1, action: 'retry', reason: `because of ${ofServer}` }]);
    await world.run('run', '1');
    await askAll(agent);
    await agent.refusal('get_job_details', { workflow_id: 1, job_id: ofServer });
    expect(agent.heard).toHaveLength(2 * ASK_ALL.length + 2);
    for (const answer of agent.heard) {
      expect(answer).not.toContain(ofServer);
      expect(answer).not.toContain(ofJob);
      expect(answer).not.toMatch(/\\u00[01][0-9a-f]|\\u007f|[\x7f-\x9f]/);
    }
    expect(agent.heard[0]).toContain('***');
    // What must not be shown is not stored either.
    const { stdout } = await world.run('events', '1', '--output', 'json');
    expect(stdout).toContain('because of ***');
  });

  test('return what the engine knows', async (context) => {
    const world = jobsWorld(
      context,
      [
        { name: 'first', command: 'echo hello; echo oops >&2' },
        { name: 'second', command: 'exit 3', depends_on: ['first'] },
        { name: 'third', command: 'true', depends_on: ['second'] },
      ],
      UPF,
    );
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world);
    expect(await agent.ask('get_workflow_status')).toMatchObject({
      counts: { completed: 1, pending_failed: 1, blocked: 1 },
      complete: false,
      exit_code: 3,
      driven: false,
      failures: [{ name: 'second', outcome: 'exit 3' }],
    });
    expect(
      (await agent.ask('list_jobs_by_status', { workflow_id: 1, status: 'blocked' })).jobs,
    ).toMatchObject([{ name: 'third', status: 'blocked' }]);
    expect(await agent.ask('get_job_details', { workflow_id: 1, job_id: 'second' })).toMatchObject({
      command: { untrusted_text: 'exit 3' },
      depends_on: [{ name: 'first', status: 'completed' }],
      attempts: [{ attempt_id: 1, match_code: 3 }],
    });
    const logs = { workflow_id: 1, job_id: 'first', stream: 'stdout' };
    expect((await agent.ask('get_job_logs', logs)).text.untrusted_text).toBe('hello');
    const { attempts } = await agent.ask('explain_job', { workflow_id: 1, job_id: 'second' });
    expect(attempts[0].walk.untrusted_text.split('\n').at(-1)).toMatch(/^ask: applies, /);
    const { results } = await agent.ask('list_results', { workflow_id: 1, state: 'FAILED' });
    expect(results).toMatchObject([{ name: 'second', state: 'FAILED', match_code: 3 }]);
    const plan = await agent.ask('get_execution_plan');
    expect(plan.jobs.map(({ wave, name }: Answer) => [wave, name])).toEqual([
      [1, 'first'],
      [2, 'second'],
      [3, 'third'],
    ]);
    expect((await agent.ask('check_resource_utilization')).jobs.map(({ name }: Answer) => name)).toEqual([
      'first',
      'second',
    ]);
    expect(await agent.refusal('get_job_logs', { workflow_id: 1, job_id: 'third' })).toMatchObject({
      code: 'NO_ATTEMPT',
    });
  });
});
