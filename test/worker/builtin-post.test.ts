import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { DEFAULT_RULE } from '../../src/core/policy/failure-rule.ts';
import type { PostRecord } from '../../src/core/request/post-record.ts';
import type { RulebookRule } from '../../src/core/request/request-model.ts';
import { simpleModel } from '../engine/simple-model.ts';
import { kill } from '../kill-process.ts';
import { ServiceWorld, until } from './service-world.ts';

/** Takes far more than a second on the log below, so that the step can be interrupted. */
const SLOW = '(?:[ab]?){1000}[cd]';
const RULE: RulebookRule = { ...DEFAULT_RULE, reportCodes: [], message: null, holds: null, badItems: 'none' };

/** A shared workflow whose only job fails, and whose post step takes a while. */
async function slowStep(context: TestContext) {
  const world = await ServiceWorld.make(context);
  const rules: RulebookRule[] = [
    { ...RULE, stderr: SLOW, category: 'data' },
    { ...RULE, reportCodes: [[7, 7]], category: 'permanent' },
  ];
  const model = simpleModel(
    [
      {
        name: 'job',
        command: `head -c 200000 /dev/zero | tr '\\0' a >&2; echo '{"exit_code": 7}' > "$HOLDFAST_REPORT"`,
        post: { rulebook: 'rulebook' },
      },
    ],
    {
      handlers: [{ name: 'rulebook', rules }],
    },
  );
  const workflow = { model, cwd: '.', output_dir: 'output', actor: 'tester', shared: true };
  await world.engine.createWorkflow(workflow);
  const worker = world.program();
  const stepRuns = async () => (await world.engine.status(1)).errands.some(({ kind }) => kind === 'post');
  await until('the post step runs', stepRuns);
  return { world, worker };
}

test('a worker that is restarted repeats its post step', async (context) => {
  const { world, worker } = await slowStep(context);
  kill(worker.child.pid!);
  await worker.ended;
  const record = join(world.dir, 'records', 'job.r1.a1.post.json');
  expect(existsSync(record)).toBe(false);
  world.program();
  await world.complete();
  expect(await world.attempts()).toMatchObject([
    { worker_id: 1, category: 'permanent', post: { exit_code: 42, report_code: 7 } },
  ]);
  expect(JSON.parse(readFileSync(record, 'utf8')) as PostRecord).toMatchObject({
    job: { exit_code: 0 },
    report: { exit_code: 7 },
    classification: { rule: 2 },
  });
});

test('a worker without the files of the attempt does not take it for a success', async (context) => {
  const { world, worker } = await slowStep(context);
  kill(worker.child.pid!);
  await worker.ended;
  await world.engine.retireWorker(1);
  world.program('elsewhere');
  await world.complete();
  expect(await world.attempts()).toMatchObject([
    {
      worker_id: 1,
      exit_code: 0,
      category: 'transient',
      verdict: 'fail',
      post: {
        exit_code: null,
        problem: expect.stringMatching(/files of the attempt are not on this machine/),
      },
    },
  ]);
});
