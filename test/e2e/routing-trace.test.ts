import { describe, expect, test } from 'vitest';
import type { TraceEntry } from '../../src/views/route-trace.ts';
import { AT_ONCE, routingWorld } from './routing-play.ts';

const ROUNDS = `
routing: { max_loops: 3 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { run: [fix], goto: a, retry: { ${AT_ONCE} } } }
  fix: { exec: ./play fix, on_success: { run: [note] } }
  note: { exec: ./play note }
`;

const COURSE = [
  ['b', 1, 'retry'],
  ['b', 1, 'remediation'],
  ['fix', 1, 'call'],
  ['b', 2, 'goto'],
  ['b', 3, 'retry'],
  ['b', 3, 'remediation'],
  ['fix', 2, 'call'],
  ['b', 4, 'loop_abort'],
] as const;

describe.concurrent('what run prints of routes', () => {
  test('the trace lists every route in order', async (context) => {
    const world = routingWorld(context, { 'spec.yaml': ROUNDS });
    const { code, stdout } = await world.run('run', 'spec.yaml', '--output', 'json');
    expect(code).toBe(1);
    const { trace } = JSON.parse(stdout) as { trace: TraceEntry[] };
    expect(trace.map(({ step, attempt_id, route }) => [step, attempt_id, route])).toEqual(COURSE);
    expect(trace.flatMap(({ loop }) => loop ?? []).filter((loop) => loop > 0)).toEqual(
      expect.arrayContaining([1, 2, 3]),
    );
    expect(trace.map(({ at_ms }) => at_ms)).toEqual(trace.map(({ at_ms }) => at_ms).sort((x, y) => x - y));
    expect(trace.every(({ why }) => why !== '')).toBe(true);
  });

  test('the summary shows the trace, and the exit code how it ended', async (context) => {
    const world = routingWorld(context, { 'spec.yaml': ROUNDS });
    const { code, stdout } = await world.run('run', 'spec.yaml');
    expect(code).toBe(1);
    const reported = stdout.split('\n').flatMap((line) => {
      const found = /^\S+ +(\w+) +(\d+) +(retry|remediation|call|goto|loop_abort)\b/.exec(line);
      return found === null ? [] : [[found[1], Number(found[2]), found[3]]];
    });
    expect(reported).toEqual(COURSE);
  });

  test('--debug adds evaluations, backoffs and loop counters, without secrets', async (context) => {
    const world = routingWorld(context, {
      'spec.yaml': `
routing: { env: [HF_API_TOKEN, HF_PLACE] }
steps:
  a: { exec: ./play a }
  b:
    env: { HF_API_TOKEN: hunter2hunter2, HF_PLACE: harbour }
    exec: ./play b 1 1 0
    on_fail:
      retry: { max: 1, backoff: { delay_ms: 10 } }
      goto_js: |
        if (env.HF_API_TOKEN !== 'hunter2hunter2') return false;
        return 'a';
`,
    });
    const { code, stdout, stderr } = await world.run('run', 'spec.yaml', '--debug');
    expect(code).toBe(0);
    expect(world.lines('trace')).toEqual(['a', 'b', 'b', 'a', 'b']);
    expect(stdout).toMatch(/goto_js.*a/);
    expect(stdout).toContain('harbour');
    expect(stdout).toMatch(/backoff/);
    expect(stdout).toMatch(/loops.* 2 of 10/);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  test('a run without routes lists none', async (context) => {
    const world = routingWorld(context, { 'spec.yaml': 'steps: { a: { exec: ./play a 1 } }' });
    const { code, stdout } = await world.run('run', 'spec.yaml');
    expect(code).toBe(1);
    expect(stdout).not.toContain('routes');
  });
});
