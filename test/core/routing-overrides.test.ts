import { describe, expect, it } from 'vitest';
import { DEFAULT_ROUTING } from '../../src/core/policy/routes.ts';
import { overrideRouting } from '../../src/core/policy/routing-overrides.ts';
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
  Object.fromEntries(
    overrideRouting(model, overrides).jobs.map(({ name, config }) => [name, config.on_fail]),
  );

describe('what a run says over the routing of its spec', () => {
  it('is nothing unless it says so', () => {
    expect(overrideRouting(model, {})).toEqual(model);
  });

  it('sets the number of loops and what code sees, and leaves the model as it was', () => {
    const before = JSON.parse(JSON.stringify(model));
    const context = { pr: { number: 7 }, files: ['a.ts'] };
    expect(overrideRouting(model, { max_loops: 0, context }).routing).toEqual({
      maxLoops: 0,
      env: ['HOME'],
      context,
    });
    overrideRouting(model, { retry_max: 0, no_failure_routing: true });
    expect(model).toEqual(before);
  });

  it('caps re-attempts, and raises none', () => {
    const capped = onFail({ retry_max: 3 });
    expect(capped.b).toEqual({
      ...model.jobs[1]!.config.on_fail,
      reattempt: { max: 3, mode: 'fixed', delay_ms: 7 },
    });
    expect(capped.c).toEqual(model.jobs[2]!.config.on_fail);
  });

  it('at a cap of 0 leaves jumps, and no remediation, which would be followed by a re-attempt', () => {
    expect(onFail({ retry_max: 0 })).toMatchObject({
      a: null,
      b: { reattempt: { max: 0 }, run: [], run_js: null, goto: 'a' },
      c: null,
      d: null,
    });
  });

  it('can take all routes away; what is on call stays on call', () => {
    const without = overrideRouting(model, { no_failure_routing: true });
    expect(without.routing).toEqual(DEFAULT_ROUTING);
    expect(without.jobs.map(({ config }) => [config.on_fail, config.on_success])).toEqual(
      model.jobs.map(() => [null, null]),
    );
    expect(without.jobs.map(({ config }) => config.on_call)).toEqual([false, false, false, false, true]);
  });
});
