import { describe, expect, it } from 'vitest';
import { DEFAULT_ROUTING } from '../../src/core/routes.ts';
import { overrideRouting } from '../../src/core/routing-overrides.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';

const loaded = loadSpec(
  `routing: { max_loops: 4, env: [HOME] }
steps:
  a: { exec: x }
  b: { exec: x, on_fail: { retry: { max: 5, backoff: { delay_ms: 7 } }, goto: a }, on_success: { run: [fix] } }
  c: { exec: x, on_fail: { retry: { max: 2 } } }
  d: { exec: x, on_fail: { run: [fix] } }
  fix: { exec: x }
`,
  'flow.yaml',
);
if (!loaded.ok) throw new Error('the spec is wrong');
const { model } = loaded;
const onFail = (overrides: Parameters<typeof overrideRouting>[1]) =>
  Object.fromEntries(overrideRouting(model, overrides).jobs.map(({ name, config }) => [name, config.onFail]));

describe('what a run says over the routing of its spec', () => {
  it('is nothing unless it says so', () => {
    expect(overrideRouting(model, {})).toEqual(model);
  });

  it('sets the number of loops and what code sees, and leaves the model as it was', () => {
    const before = structuredClone(model);
    const context = { pr: { number: 7 }, files: ['a.ts'] };
    expect(overrideRouting(model, { maxLoops: 0, context }).routing).toEqual({
      maxLoops: 0,
      env: ['HOME'],
      context,
    });
    overrideRouting(model, { retryMax: 0, noFailureRouting: true });
    expect(model).toEqual(before);
  });

  it('caps re-attempts, and raises none', () => {
    const capped = onFail({ retryMax: 3 });
    expect(capped.b).toEqual({
      ...model.jobs[1]!.config.onFail,
      reattempt: { max: 3, mode: 'fixed', delayMs: 7 },
    });
    expect(capped.c).toEqual(model.jobs[2]!.config.onFail);
  });

  it('at a cap of 0 leaves jumps and remediation', () => {
    expect(onFail({ retryMax: 0 })).toMatchObject({
      a: null,
      b: { reattempt: { max: 0 }, goto: 'a' },
      c: null,
      d: { reattempt: { max: 0 }, run: ['fix'] },
    });
  });

  it('can take all routes away; what is on call stays on call', () => {
    const without = overrideRouting(model, { noFailureRouting: true });
    expect(without.routing).toEqual(DEFAULT_ROUTING);
    expect(without.jobs.map(({ config }) => [config.onFail, config.onSuccess])).toEqual(
      model.jobs.map(() => [null, null]),
    );
    expect(without.jobs.map(({ config }) => config.onCall)).toEqual([false, false, false, false, true]);
  });
});
