import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { readText } from '../docs/markdown.ts';
import { jobsWorld, makeWorld } from '../e2e/world.ts';
import { AgentClient } from './agent-client.ts';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
const UPF = { use_pending_failed: true };
const FAILS = [{ name: 'parse', command: 'echo "ValueError: no" >&2; exit 1' }];

const READING = [
  'list_pending_failed_jobs',
  'get_workflow_status',
  'get_workflow_summary',
  'list_failed_jobs',
  'list_jobs_by_status',
  'get_job_details',
  'get_job_logs',
  'explain_job',
  'check_resource_utilization',
  'list_results',
  'get_execution_plan',
];
const OPT_IN = [
  'update_job_resources',
  'recover_workflow',
  'retry_jobs',
  'create_workflow',
  'update_workflow',
];

describe('the tools of a server', () => {
  test('are those that read and the one that decides, each described and annotated', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const { client } = await AgentClient.connect(context, world);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...READING, 'classify_and_resolve_failures'].sort(),
    );
    for (const { name, description, annotations, inputSchema, outputSchema } of tools) {
      expect(description!.length, name).toBeGreaterThan(100);
      expect(description!.length, name).toBeLessThan(600);
      expect(annotations?.readOnlyHint, name).toBe(READING.includes(name));
      expect(inputSchema.required, name).toContain('workflow_id');
      expect(inputSchema.additionalProperties, name).toBe(false);
      expect(outputSchema?.required, name).toContain('summary');
    }
    const classify = tools.find(({ name }) => name === 'classify_and_resolve_failures');
    expect(classify?.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect(client.getInstructions()).toContain('never instructions');
  });

  test('that change more are offered where they were allowed', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const { client } = await AgentClient.connect(context, world, ['--allow', OPT_IN.join(',')]);
    const { tools } = await client.listTools();
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
    expect(writing.map(({ name }) => name)).toEqual(['classify_and_resolve_failures', ...OPT_IN]);
    for (const { name, inputSchema } of writing) {
      expect(inputSchema.properties, name).toHaveProperty('dry_run');
    }
  });

  test('that are not allowed say how they can be', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world);
    for (const name of OPT_IN) {
      const refused = await agent.refusal(name);
      expect(refused.code).toBe('TOOL_NOT_ALLOWED');
      expect(refused.next).toContain(`holdfast mcp --allow ${name}`);
    }
    expect(await agent.refusal('delete_everything')).toMatchObject({ code: 'UNKNOWN_TOOL' });
  });

  test('change nothing on a read-only server', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world, ['--read-only', '--allow', OPT_IN.join(',')]);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...READING].sort());
    const before = await world.jobs();
    const decision = { job_id: before[0]!.id, action: 'retry' };
    expect((await agent.classifyRefused([decision])).next).toContain('--read-only');
    expect((await agent.classifyRefused([decision], { dry_run: true })).code).toBe('TOOL_NOT_ALLOWED');
    for (const name of OPT_IN) expect((await agent.refusal(name)).code).toBe('TOOL_NOT_ALLOWED');
    expect(await world.jobs()).toEqual(before);
  });

  test('know no workflow but the one the server was started for', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world, [
      '--workflow',
      '1',
      '--allow',
      'update_job_resources,recover_workflow',
    ]);
    const { tools } = await agent.client.listTools();
    for (const { name, inputSchema } of tools) {
      const more = inputSchema.required?.includes('job_id') ? { job_id: 'parse' } : {};
      const args = name.startsWith('classify')
        ? { workflow_id: 2, classifications: [{ job_id: 2, action: 'retry' }] }
        : { workflow_id: 2, ...more };
      expect(await agent.refusal(name, args), name).toMatchObject({
        code: 'WORKFLOW_NOT_FOUND',
        message: 'there is no workflow 2 for this server',
        next: 'this server was started for workflow 1 alone; use workflow_id 1',
      });
    }
    await expect(agent.client.readResource({ uri: 'holdfast://workflow/2' })).rejects.toThrow(
      'no workflow 2 for this server',
    );
    // A job of the other workflow is none of this one.
    const [other] = await world.jobs(2);
    expect(await agent.classifyRefused([{ job_id: other!.id, action: 'fail' }])).toMatchObject({
      code: 'JOB_NOT_FOUND',
    });
    expect(await world.jobs(2)).toMatchObject([{ status: 'pending_failed' }]);
  });
});

describe('arguments that are wrong', () => {
  const decision = { job_id: 1, action: 'retry' };
  const cases: [tool: string, args: Record<string, unknown>, message: RegExp][] = [
    ['list_pending_failed_jobs', {}, /workflow_id: this key is required/],
    ['list_pending_failed_jobs', { workflow_id: 'one' }, /workflow_id: /],
    ['list_pending_failed_jobs', { workflow_id: 1.5 }, /workflow_id: /],
    ['list_pending_failed_jobs', { workflow_id: 1, all: true }, /unknown key "all"/],
    ['list_pending_failed_jobs', { workflow_id: 9 }, /there is no workflow 9/],
    ['classify_and_resolve_failures', { workflow_id: 1 }, /classifications: /],
    ['classify_and_resolve_failures', { workflow_id: 1, classifications: [] }, /classifications: /],
    [
      'classify_and_resolve_failures',
      { workflow_id: 1, classifications: [{ ...decision, action: 'ignore' }] },
      /classifications\[0\]\.action: expected one of retry, fail/,
    ],
    [
      'classify_and_resolve_failures',
      { workflow_id: 1, classifications: [decision, { action: 'fail' }] },
      /classifications\[1\]\.job_id: /,
    ],
    [
      'classify_and_resolve_failures',
      { workflow_id: 1, classifications: [{ ...decision, confidence: 2 }] },
      /classifications\[0\]\.confidence: /,
    ],
    [
      'classify_and_resolve_failures',
      { workflow_id: 1, classifications: [{ ...decision, memory: 'lots' }] },
      /job 1: memory must be a size such as 4g, not lots/,
    ],
    [
      'classify_and_resolve_failures',
      { workflow_id: 1, classifications: [decision, decision] },
      /job 1: it is decided about twice/,
    ],
    ['get_job_details', { workflow_id: 1 }, /job_id: /],
    ['get_job_details', { workflow_id: 1, job_id: 'nobody' }, /workflow 1 has no job nobody/],
    ['get_job_logs', { workflow_id: 1, job_id: 1, lines: 5000 }, /lines: .*200/],
    ['get_job_logs', { workflow_id: 1, job_id: 1, stream: '../../etc/passwd' }, /stream: /],
    ['get_job_logs', { workflow_id: 1, job_id: 1, attempt_id: 7 }, /attempt_id: job 1 has no attempt 7/],
    ['list_jobs_by_status', { workflow_id: 1, status: 'broken' }, /status: /],
  ];

  test('are named, and nothing is changed', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world);
    const before = await world.jobs();
    for (const [tool, args, message] of cases) {
      const refused = await agent.refusal(tool, args);
      expect(refused.message, JSON.stringify(args)).toMatch(message);
      expect(refused.next, JSON.stringify(args)).not.toBe('');
    }
    expect(await world.jobs()).toEqual(before);
    for (const answer of agent.heard) expect(answer).not.toMatch(/\bat [\w./<>]+ \(|node:internal|\.js:\d+/);
  });
});

describe('guidance', () => {
  test('is a resource, and a prompt that walks through the decision', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const { client } = await AgentClient.connect(context, world, ['--workflow', '1']);
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris.slice(0, 2)).toEqual(['holdfast://guidance/failure-patterns', 'holdfast://workflow/1']);
    const shipped = ['docs/spec.md', 'docs/skill/SKILL.md', 'examples/flaky-campaign.yaml'];
    for (const name of shipped) {
      const uri = `holdfast://${name}`;
      expect(uris).toContain(uri);
      expect((await client.readResource({ uri })).contents[0]).toHaveProperty('text', readText(name));
    }
    expect(uris.filter((uri) => uri.includes('/adr/'))).toEqual([]);
    for (const uri of ['holdfast://docs/../package.json', 'holdfast://docs/', 'holdfast://docs/none.md']) {
      await expect(client.readResource({ uri })).rejects.toThrow('there is no resource');
    }
    const [patterns] = (await client.readResource({ uri: 'holdfast://guidance/failure-patterns' })).contents;
    for (const word of ['NCCL timeout', 'NODE_FAIL', 'SyntaxError', 'KeyError', 'Guidance, not rules']) {
      expect(patterns).toHaveProperty('text', expect.stringContaining(word));
    }
    const [status] = (await client.readResource({ uri: 'holdfast://workflow/1' })).contents;
    expect(JSON.parse((status as { text: string }).text)).toMatchObject({ exit_code: 3, workflow_id: 1 });

    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['classify_failures']);
    const { messages } = await client.getPrompt({
      name: 'classify_failures',
      arguments: { workflow_id: '1' },
    });
    const text = (messages[0]!.content as { text: string }).text;
    const steps = ['list_pending_failed_jobs', 'classify_and_resolve_failures', 'untrusted_text'];
    expect(steps.map((step) => text.indexOf(step)).every((at, i, all) => at > (all[i - 1] ?? 0))).toBe(true);
    await expect(
      client.getPrompt({ name: 'classify_failures', arguments: { workflow_id: '1; drop' } }),
    ).rejects.toThrow('workflow_id');
  });
});

describe('holdfast mcp', () => {
  test('writes nothing but the protocol to stdout, and ends when stdin does', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const child = spawn(process.execPath, [BIN, 'mcp', '--output', 'table'], {
      cwd: world.dir,
      env: { ...process.env, ...world.env, HOLDFAST_DEBUG: '1' },
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const answered = async (count: number) => {
      while (stdout.split('\n').length <= count) await once(child.stdout, 'data');
    };
    const send = (message: unknown) =>
      child.stdin.write(typeof message === 'string' ? `${message}\n` : `${JSON.stringify(message)}\n`);
    send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
    });
    await answered(1);
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    send('this is no JSON');
    send({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'get_workflow_status', arguments: { workflow_id: 1 } },
    });
    send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'no_such_tool' } });
    send({ jsonrpc: '2.0', id: 4, method: 'no/such/method' });
    await answered(4);
    child.stdin.end();
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4]);
  });

  test('speaks the newest protocol too', async (context) => {
    const world = jobsWorld(context, FAILS, UPF);
    await world.run('run', 'spec.json');
    const agent = await AgentClient.connect(context, world, [], { versionNegotiation: { mode: 'auto' } });
    expect((await agent.pending()).jobs).toHaveLength(1);
  });

  test('refuses flags that make no sense before it serves', async (context) => {
    const world = jobsWorld(context, [{ name: 'a', command: 'true' }]);
    await world.run('run', 'spec.json');
    for (const [flags, problem] of [
      [['--allow', 'recover_workflw'], 'there is no tool recover_workflw'],
      [['--workflow', '1', '--allow', 'create_workflow'], 'a server for one --workflow'],
      [['--workflow', '9'], 'there is no workflow 9'],
      [['--max-decisions', 'many'], '--max-decisions'],
      [['--min-confidence', '1.1'], '--min-confidence'],
      [['--agent-name', 'a b'], '--agent-name'],
    ] as const) {
      const { code, stdout, stderr } = await world.run('mcp', ...flags);
      expect({ code, stdout }, flags.join(' ')).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(problem);
    }
  });

  test('says where state is missing', async (context) => {
    const { dir } = makeWorld(context, {});
    const { code, stdout, stderr } = await runCli(['mcp'], { cwd: dir });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('there is no Holdfast state');
  });
});
