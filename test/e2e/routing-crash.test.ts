import { describe, expect, test } from 'vitest';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { kill } from '../kill-process.ts';
import { AT_ONCE, expectExecutions, type RoutingWorld, routingWorld } from './routing-play.ts';

/** Hangs in its n-th execution, as long as nobody has resumed the run. */
const hangs = (name: string, n: number) =>
  `[ "$(cat count.${name})" != ${n} ] || [ -e resumed ] || { touch hangs; ./await never; }`;

/** Starts the workflow, kills it when it hangs, and resumes it. */
async function killAndResume(world: RoutingWorld, first = async () => {}): Promise<number | null> {
  const run = world.start('run', 'spec.yaml', '-j', '2');
  await world.fileAppears('hangs');
  await first();
  await world.attemptWhich('it runs', ({ finished_at_ms, started_at_ms }) =>
    Boolean(started_at_ms && !finished_at_ms),
  );
  kill(run.child.pid!);
  await run.ended;
  await world.nothingLeft();
  world.write('resumed');
  return (await world.run('run', '1')).code;
}

/** What ran to its end, in the order in which it began. */
async function finished(world: RoutingWorld): Promise<string> {
  const attempts = (await world.attempts()).filter(({ cause }) => cause !== 'lost' && cause !== 'stopped');
  return attempts
    .toSorted((a, b) => a.started_at_ms! - b.started_at_ms!)
    .map(({ job_name, scope }) => jobLabel({ name: job_name, scope }))
    .join(' ');
}

async function loops(world: RoutingWorld): Promise<number> {
  const taken = (await world.attempts()).map(({ route }) => route?.loop ?? 0);
  return Math.max(0, ...taken);
}

/** Loops whose course does not depend on what was lost. */
const LOOPS = {
  failures: {
    spec: `
routing: { max_loops: 6 }
steps:
  a: { exec: ./play a; sleep 0.05 }
  b: { exec: ./play b; sleep 0.05; exit 1, on_fail: { run: [fix], retry: { ${AT_ONCE} }, goto: a } }
  fix: { exec: ./play fix; sleep 0.05 }
`,
    exit: 1,
    finished: 'a b fix b a b fix b a b fix b a b',
  },
  successes: {
    spec: `
steps:
  a: { exec: ./play a; sleep 0.05 }
  b: { exec: ./play b; sleep 0.05, on_success: { run: [note], goto_js: "loop < 6 ? 'a' : false" } }
  note: { exec: ./play note; sleep 0.05 }
`,
    exit: 0,
    finished: 'a b note a b note a b note a b note a b note a b note a b note',
  },
};

const CONVERGES = `{ exec: "./play b; echo 1", fail_if: output < 0, on_success: { goto_js: "attempt < 3 ? 'a' : null" } }`;

/** The program never finishes to evaluate code that contains `held`, and is killed while it waits for it. */
const HELD: [name: string, held: string, b: string][] = [
  ['G17: while fail_if of a success is evaluated', 'output < 0', CONVERGES],
  ['while goto_js of a success is evaluated', 'attempt < 3', CONVERGES],
  [
    'while goto_js of a failure is evaluated',
    'attempt < 3',
    `{ exec: "./play b 1 1 0", on_fail: { goto_js: "attempt < 3 && error.exitCode === 1 ? 'a' : null" } }`,
  ],
  [
    'while a fail_if that makes a failure is evaluated',
    'output < 3',
    `{ exec: "./play b; cat count.b", fail_if: output < 3, on_fail: { goto_js: "attempt < 3 ? 'a' : null" } }`,
  ],
  [
    'while if is evaluated',
    'attempt > 0',
    `{ exec: "./play b", if: attempt > 0, on_success: { goto_js: "loop < 2 ? 'a' : null" } }`,
  ],
];

describe.concurrent('kill -9, then run ID', () => {
  test.for(HELD)('%s, takes the routes of an uninterrupted run', async ([, held, b], context) => {
    const world = routingWorld(context, {
      'spec.yaml': `steps:\n  a: { exec: ./play a }\n  b: ${b}\n  c: { exec: ./play c }\n`,
    });
    const hold = new URL('hold-evaluation.mjs', import.meta.url);
    const run = world.startWith({ NODE_OPTIONS: `--import=${hold}`, HOLD_CODE: held }, 'run', 'spec.yaml');
    await world.fileAppears('held');
    kill(run.child.pid!);
    await run.ended;
    await world.nothingLeft();
    expect((await world.run('run', '1')).code).toBe(0);
    expectExecutions(world.lines('trace'), 'a b a b a b c');
    expect(await loops(world)).toBe(2);
    expect((await world.events()).filter(({ type }) => type === 'evaluation_failure')).toEqual([]);
  });

  test('in a goto loop reaches max_loops at the same total', async (context) => {
    const world = routingWorld(context, {
      'spec.yaml': `
routing: { max_loops: 4 }
steps:
  a: { exec: ./play a }
  b:
    exec: |
      ./play b
      ${hangs('b', 3)}
      exit 1
    on_fail: { goto: a }
`,
    });
    expect(await killAndResume(world)).toBe(1);
    expectExecutions(world.lines('trace'), 'a b a b a b b a b a b');
    expect(await loops(world)).toBe(4);
    expect((await world.job('b')).reason).toMatch(/loop_abort/);
  });

  test('in a remediation runs it again, and the step as often as it may', async (context) => {
    const world = routingWorld(context, {
      'spec.yaml': `
routing: { max_loops: 2 }
steps:
  b: { exec: ./play b 1, on_fail: { run: [fix, check], retry: { max: 2, ${AT_ONCE} } } }
  fix:
    exec: |
      ./play fix
      ${hangs('fix', 2)}
  check: { exec: ./play check }
`,
    });
    expect(await killAndResume(world)).toBe(1);
    expectExecutions(world.lines('trace'), 'b fix check b fix fix check b');
    expect(await loops(world)).toBe(2);
    expect(await world.job('b')).toMatchObject({ status: 'failed', failure_count: 3 });
  });

  test('in the steps of a success continues with the one that was lost, and jumps then', async (context) => {
    const world = routingWorld(context, {
      'spec.yaml': `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { run: [n1, n2], goto_js: "attempt < 3 ? 'a' : false" } }
  n1: { exec: ./play n1 }
  n2:
    exec: |
      ./play n2
      ${hangs('n2', 1)}
  end: { exec: ./play end }
`,
    });
    expect(await killAndResume(world)).toBe(0);
    expectExecutions(world.lines('trace'), 'a b n1 n2 n2 a b n1 n2 a b n1 n2 end');
    expect(await loops(world)).toBe(2);
  });

  test('during a backoff waits for the rest of it', async (context) => {
    const world = routingWorld(context, {
      'spec.yaml': `
order: graph
steps:
  b: { exec: ./play b 1 0, on_fail: { retry: { max: 1, backoff: { delay_ms: 3000 } } } }
  c:
    exec: touch hangs; [ -e resumed ] || ./await never
`,
    });
    const decided = async () => {
      await world.attemptWhich('b waits', ({ job_name, verdict }) => job_name === 'b' && verdict === 'retry');
    };
    expect(await killAndResume(world, decided)).toBe(0);
    const [first, second] = await world.attempts('b');
    expect(second!.started_at_ms! - first!.finished_at_ms!).toBeGreaterThanOrEqual(3000);
    expect(world.lines('trace')).toEqual(['b', 'b']);
  });

  test('in an item of a forEach leaves the other items as they are', async (context) => {
    const world = routingWorld(context, {
      'spec.yaml': `
max_parallel: 1
routing: { max_loops: 1 }
steps:
  list:
    forEach: true
    exec: ./say list '[1,2,3]'
  p:
    exec: |
      ./play p{{ outputs.list }} 1 0; code=$?
      [ {{ outputs.list }} != 2 ] || { ${hangs('p2', 2)}; }
      exit $code
    on_fail: { retry: { max: 1, ${AT_ONCE} } }
  join: { exec: "./play join-{{ outputs.p | size }}", fanout: reduce }
`,
    });
    expect(await killAndResume(world)).toBe(0);
    expectExecutions(world.lines('trace'), {
      branches: ['list p1 p1 join-3', 'list p2 p2 p2 join-3', 'list p3 p3 join-3'],
    });
  });

  const rounds = Object.entries(LOOPS).flatMap(([kind, loop]) =>
    [0, 1, 2].map((offset) => [kind, loop, offset] as const),
  );
  test.for(rounds)(
    'three times in a loop of %s loses nothing and repeats nothing',
    async ([, loop, offset], context) => {
      const world = routingWorld(context, { 'spec.yaml': loop.spec });
      let run = world.start('run', 'spec.yaml');
      for (const lines of [1, 5, 9]) {
        await world.linesReached('trace', lines + offset);
        kill(run.child.pid!);
        await run.ended;
        await world.nothingLeft();
        run = world.start('run', '1');
      }
      expect((await run.ended).code).toBe(loop.exit);
      expect(await finished(world)).toBe(loop.finished);
      expect(await loops(world)).toBe(6);
    },
  );
});
