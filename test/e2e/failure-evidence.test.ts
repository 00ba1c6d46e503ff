import { describe, expect, type TestContext, test } from 'vitest';
import type { RequestErrors } from '../../src/contract/records/request.ts';
import { makeWorld } from './world.ts';

const requestWith = (context: TestContext, command: string, more: object = {}) =>
  makeWorld(context, {
    'req.json': {
      kind: 'request',
      name: 'demo',
      work: { range: { total: 1, first: 1, per_job: 1 } },
      jobs_per_unit: 1,
      round: { first_units: 1, units: 1 },
      process: { command, retry: 0 },
      ...more,
    },
  });

describe.concurrent('the evidence of a failure', () => {
  for (const [step, more] of [
    ['the built-in post step', {}],
    ['a post command', { post: 'exit 42' }],
  ] as const) {
    test(`has the end of stderr, with ${step}`, async (context) => {
      const talk = 'for i in $(seq 300); do echo "line $i" >&2; done; exit 42';
      const world = requestWith(context, talk, more);
      expect((await world.run('run', 'req.json')).code).toBe(3);
      const { groups } = await world.json<RequestErrors>('requests', 'errors', 'demo');
      const lines = Array.from({ length: 200 }, (_, i) => `line ${i + 101}`);
      expect(groups.map(({ log_tail }) => log_tail.split('\n'))).toEqual([lines]);
      expect((await world.run('requests', 'errors', 'demo')).stdout).toContain('| line 300');
      const [attempt] = await world.attempts();
      expect(Object.keys(attempt!.post!)).not.toContain('log_tail');
    });
  }
});
