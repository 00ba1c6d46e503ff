import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { PortBook } from '../../src/worker/execute/port-book.ts';
import { kill } from '../kill-process.ts';
import { makeWorld } from './world.ts';

const action = (trigger_type: string, command: string, more: object = {}) => ({
  trigger_type,
  action_type: 'run_commands',
  commands: [command],
  ...more,
});

test('actions run their commands at their moments, and a failing one does not fail the run', async (context) => {
  const world = makeWorld(context, {
    'spec.json': {
      name: 'acting',
      actions: [
        action('on_workflow_start', 'echo "start $HOLDFAST_WORKFLOW_ID $HOLDFAST_TRIGGER" >> reported'),
        action('on_jobs_complete', 'echo a done >> reported', { jobs: ['a'] }),
        action('on_workflow_complete', 'echo complete >> reported; exit 5'),
        action('on_worker_complete', 'echo bye >> reported'),
      ],
      jobs: [
        { name: 'a', command: 'true' },
        { name: 'b', command: 'sleep 0.3; echo b >> reported', depends_on: ['a'] },
      ],
    },
  });
  const run = await world.run('run', 'spec.json');
  expect(run.code).toBe(0);
  expect(world.lines('reported')).toEqual(['start 1 on_workflow_start', 'a done', 'b', 'complete', 'bye']);
  const events = await world.run('events', '1');
  expect(events.stdout).toContain('on_workflow_complete: failed with exit 5');
});

test('an action that was cut off by kill -9 does not run again', async (context) => {
  const world = makeWorld(context, {
    'spec.json': {
      name: 'acting',
      actions: [action('on_workflow_start', 'echo begun >> reported; sleep 30')],
      jobs: [{ name: 'a', command: 'sleep 0.2' }],
    },
  });
  const run = world.start('run', 'spec.json');
  await world.linesReached('reported', 1);
  kill(run.child.pid!);
  await run.ended;
  expect((await world.run('run', '1')).code).toBe(0);
  expect(world.lines('reported')).toEqual(['begun']);
});

test('an action that runs is listed by status, and is stopped by cancel', async (context) => {
  const world = makeWorld(context, {
    'spec.json': {
      name: 'acting',
      actions: [action('on_workflow_complete', 'echo begun >> reported; sleep 300; echo done >> reported')],
      jobs: [{ name: 'a', command: 'true' }],
    },
  });
  const run = world.start('run', 'spec.json');
  await world.linesReached('reported', 1);
  expect((await world.run('status', '1')).stdout).toMatch(
    /beside +action on_workflow_complete, running for .* \(limit 1h00m\)/,
  );
  const canceled = await world.run('cancel', '1');
  expect(canceled.stdout).toContain('workflow 1: canceled 0 jobs, stopping 1 action');
  expect((await run.ended).code).toBe(0);
  expect(world.lines('reported')).toEqual(['begun']);
  expect((await world.run('events', '1')).stdout).toMatch(/on_workflow_complete: failed with .*cancel/);
});

test.for([
  ['resolve', ['--fail', 'a'], 'failed 1 a'],
  ['cancel', [], 'canceled 1 '],
] as [string, string[], string][])(
  'D10 a run that %s completes while no process drives it has its actions run, once',
  async ([command, args, facts], context) => {
    const world = makeWorld(context, {
      'spec.json': {
        name: 'acting',
        use_pending_failed: true,
        actions: [
          action(
            'on_workflow_complete',
            `names=$(grep -o '"name":"[^"]*"' <<< "$HOLDFAST_FAILED_JOBS" | cut -d'"' -f4); echo "$HOLDFAST_STATUS $HOLDFAST_EXIT_CODE $names" >> reported`,
          ),
          action('on_workflow_failure', 'echo failure >> reported-failure'),
          action('on_jobs_complete', 'echo a >> reported-jobs', { jobs: ['a'] }),
        ],
        jobs: [
          { name: 'a', command: 'exit 1' },
          { name: 'b', command: 'true', depends_on: ['a'] },
        ],
      },
    });
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    expect((await world.run(command, '1', ...args)).code).toBe(0);
    for (let again = 0; again < 2; again += 1) {
      expect(world.lines('reported')).toEqual([facts]);
      expect(world.lines('reported-failure')).toEqual(['failure']);
      expect(world.lines('reported-jobs')).toEqual(['a']);
      expect((await world.run('run', '1')).code).toBe(1);
    }
  },
);

test('every attempt has ports of its own, which nobody else is given meanwhile', async (context) => {
  const world = makeWorld(context, {
    'spec.json': {
      name: 'ports',
      jobs: [
        {
          name: 'server_{i}',
          command:
            'echo "$HOLDFAST_PORT_HTTP $HOLDFAST_PORT_METRICS" >> ports; until [ "$(wc -l < ports)" -ge 16 ]; do sleep 0.05; done',
          timeout: '30s',
          ports: ['http', 'metrics'],
          parameters: { i: '1:8' },
        },
      ],
    },
  });
  const [first, second] = await Promise.all([
    world.run('run', 'spec.json', '-j', '8'),
    world.run('run', 'spec.json', '-j', '8'),
  ]);
  expect([first.code, second.code]).toEqual([0, 0]);
  const ports = world.lines('ports').flatMap((line) => line.split(' '));
  expect(ports).toHaveLength(32);
  expect(new Set(ports).size).toBe(32);
});

test('a port is free again when its attempt has ended, and one that is in use is never given', async () => {
  const book = new PortBook();
  const { http } = await book.take(1, ['http']);
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(http, '127.0.0.1', () => server.close(() => resolve()));
  });
  const others = Object.values(
    await new PortBook().take(
      2,
      Array.from({ length: 50 }, (_, index) => `p${index}`),
    ),
  );
  expect(others).not.toContain(http);
  book.release(1);
});
