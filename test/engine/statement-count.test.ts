import { describe, expect, test } from 'vitest';
import { crashedPost } from '../../src/core/job/post-result.ts';
import { CountingWorld } from './counting-world.ts';

const ACCEPTED = { ...crashedPost(''), exit_code: 0, problem: null };

/** What a decision looks at is loaded for it, so this is how often one was made. */
function decisions(statements: readonly string[]): number {
  return statements.filter((sql) => /select counts_as, started_at,.* from attempt where job_id/s.test(sql))
    .length;
}

describe('an exchange', () => {
  test('decides once about an attempt with a post script, after that has run', async () => {
    const world = await CountingWorld.create(
      'steps:\n  a: { exec: a, post: p, retry: { max_retries_failure: 1 } }\n',
    );
    const [a] = await world.start();
    expect(decisions(await world.finish(a!, 1))).toBe(0);
    expect(decisions(await world.answer({ kind: 'post', post: { ...ACCEPTED, exit_code: 1 } }))).toBe(1);
    expect(await world.engine.getJob(world.workflowId, 'a')).toMatchObject({ failure_count: 1 });
  });

  test('decides once about a failure with code, whether that has to be evaluated or a retry comes first', async () => {
    for (const [retry, isAsked] of [
      ['', true],
      ['retry: { max_retries_failure: 5 }, ', false],
    ] as const) {
      const world = await CountingWorld.create(
        `steps:\n  z: { exec: z }\n  a: { exec: a, depends_on: z, ${retry}on_fail: { goto_js: back } }\n`,
      );
      await world.finish((await world.start())[0]!, 0);
      const [a] = await world.start();
      expect(decisions(await world.finish(a!, 1))).toBe(1);
      if (!isAsked) continue;
      const evaluations = [
        { key: 'goto_js' as const, result: { ok: true as const, value: 'z' }, ms: 1, inputs: {} },
      ];
      expect(decisions(await world.answer({ kind: 'evaluation', evaluations }))).toBe(1);
      expect(await world.engine.getJob(world.workflowId, 'a')).toMatchObject({ status: 'blocked' });
    }
  });

  test('charges nothing for a failure that the post script accepts, also where it calls steps or goes back', async () => {
    for (const [routes, verdict] of [
      ['{ run: [note] }', 'call'],
      ['{ goto: z }', 'goto'],
    ] as const) {
      const world = await CountingWorld.create(
        `steps:\n  z: { exec: z }\n  a: { exec: a, depends_on: z, post: p, on_success: ${routes} }\n  note: { exec: n, on_call: true }\n`,
      );
      await world.finish((await world.start())[0]!, 0);
      const [a] = await world.start();
      await world.finish(a!, 1);
      await world.answer({ kind: 'post', post: ACCEPTED });
      const { items } = await world.engine.listAttempts(world.workflowId, { limit: 10 });
      expect(items.at(-1)).toMatchObject({ job_name: 'a', cause: 'exit', verdict });
      expect((await world.engine.status(world.workflowId)).failures).toEqual([]);
    }
  });

  test('has as many statements for a goto with much downstream of its target as for one with little', async () => {
    const counts: number[] = [];
    for (const width of [1, 12, 60]) {
      const chain = Array.from(
        { length: width },
        (_, i) => `  c${i}: { exec: c, depends_on: ${i === 0 ? 'a' : `c${i - 1}`} }`,
      );
      const fan = Array.from({ length: width }, (_, i) => `  f${i}: { exec: f, depends_on: [a, c0] }`);
      const world = await CountingWorld.create(
        [
          'steps:',
          '  a: { exec: a }',
          '  b: { exec: b, depends_on: a, on_fail: { goto: a } }',
          ...chain,
          ...fan,
          '',
        ].join('\n'),
      );
      await world.finish((await world.start())[0]!, 0);
      const b = (await world.start()).find(({ job_name }) => job_name === 'b')!;
      counts.push((await world.finish(b, 1)).length);
      expect(await world.engine.getJob(world.workflowId, 'b')).toMatchObject({ status: 'blocked', visit: 2 });
    }
    const [little, ...much] = counts as [number, ...number[]];
    // Rows are written 64 at a time, and sizes of statements are powers of two or sums of two of them.
    for (const count of much) expect(count).toBeLessThanOrEqual(little + 3);
    expect(little).toBeLessThanOrEqual(24);
  });

  test('has as many statements for a list with many items as for one with few', async () => {
    const counts: number[] = [];
    for (const items of [2, 40]) {
      const world = await CountingWorld.create(
        [
          'steps:',
          '  list: { exec: list, forEach: true }',
          '  p: { exec: p, depends_on: list }',
          '  q: { exec: q, depends_on: p }',
          '  join: { exec: join, fanout: reduce, depends_on: q }',
          '',
        ].join('\n'),
      );
      const [list] = await world.start();
      counts.push(
        (
          await world.finish(
            list!,
            0,
            Array.from({ length: items }, (_, i) => i),
          )
        ).length,
      );
      expect(await world.start()).toHaveLength(items);
    }
    const [few, many] = counts as [number, number];
    expect(many).toBeLessThanOrEqual(few + 4);
  });

  test('loads no graph for a plain completion', async () => {
    const world = await CountingWorld.create('steps:\n  a: { exec: a }\n  b: { exec: b, depends_on: a }\n');
    const statements = await world.finish((await world.start())[0]!, 0);
    expect(statements.filter((sql) => /recursive|is_blueprint|as moved/.test(sql))).toEqual([]);
    expect(await world.engine.getJob(world.workflowId, 'b')).toMatchObject({ status: 'ready' });
  });
});
