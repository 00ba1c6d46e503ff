import { describe, expect, test } from 'vitest';
import { routeTraceText } from '../../src/cli/texts/parts/route-trace-text.ts';
import type { EventRecord, RouteTaken } from '../../src/contract/records/records.ts';
import { hasRoutes, routeTrace } from '../../src/views/route-trace.ts';
import { evaluation, event, NOON, textStyle } from './records.ts';

const at = (seconds: number, given: Partial<EventRecord>): EventRecord =>
  event({ id: seconds, at_ms: NOON + seconds * 1000, job_name: 'unit', reason: null, data: {}, ...given });
const taken = (given: Partial<RouteTaken>): { route: RouteTaken } => ({
  route: { kind: 'retry', loop: 1, max_loops: 10, ...given },
});

const EVENTS: EventRecord[] = [
  at(0, { type: 'run_started', job_id: null, job_name: null, scope: null, attempt_id: null }),
  at(1, {
    type: 'completed',
    job_id: 1,
    job_name: 'setup',
    data: { evaluations: [evaluation({ result: { ok: true, value: null } })] },
  }),
  at(2, {
    type: 'retry',
    reason: 'on_fail: re-attempt 1 of 1 after lint-fix',
    data: {
      outcome: 'exit 1',
      retry_available_at_ms: NOON + 5000,
      ...taken({ run: ['lint-fix'] }),
      evaluations: [evaluation({ key: 'run_js', result: { ok: true, value: ['lint-fix'] } }), evaluation()],
    },
  }),
  at(2, { type: 'remediation', data: { step: 'lint-fix', position: 1, of: 1 } }),
  at(6, {
    type: 'goto',
    attempt_id: 2,
    reason: 'on_fail: goes back to setup',
    data: { outcome: 'exit 1', ...taken({ kind: 'goto', target: 'setup', loop: 2 }) },
  }),
  at(7, { type: 'supersede', job_id: 9, job_name: 'p', scope: 'list[0]', reason: 'overtaken', data: {} }),
  at(8, { type: 'retry', job_id: 3, job_name: 'plain', reason: 'retry 1 of 3', data: { outcome: 'exit 1' } }),
  at(9, {
    type: 'failure',
    job_id: 3,
    job_name: 'plain',
    attempt_id: 2,
    reason: 'used up',
    data: { outcome: 'exit 1' },
  }),
];
describe('the trace of a run', () => {
  test('has the routes and the final failures in order, and no retries of other policies', () => {
    const trace = routeTrace(EVENTS);
    expect(
      trace.map(({ step, scope, attempt_id, route, to }) => [step, scope, attempt_id, route, to]),
    ).toEqual([
      ['setup', '', 1, 'none', []],
      ['unit', '', 1, 'retry', ['lint-fix']],
      ['unit', '', 1, 'remediation', ['lint-fix']],
      ['unit', '', 2, 'goto', ['setup']],
      ['p', 'list[0]', 1, 'superseded', []],
      ['plain', '', 2, 'failure', []],
    ]);
    expect(trace[1]).toMatchObject({ loop: 1, max_loops: 10, retry_available_at_ms: NOON + 5000 });
    expect(trace[3]!.why).toBe('exit 1 - on_fail: goes back to setup');
  });

  test('shows what code said, also where nothing came of it', () => {
    const asked = { evaluations: [evaluation()] };
    const trace = routeTrace([
      at(1, { type: 'completed', job_id: 1, job_name: 'setup', data: asked }),
      at(2, { type: 'completed', data: {} }),
      at(3, { type: 'goto', data: { ...taken({ kind: 'goto', target: 'setup' }), ...asked } }),
    ]);
    expect(trace.map(({ step, route, evaluations }) => [step, route, evaluations])).toEqual([
      ['setup', 'none', [evaluation()]],
      ['unit', 'goto', [evaluation()]],
    ]);
  });

  test('is only worth a look if a route was taken', () => {
    expect(hasRoutes(routeTrace(EVENTS))).toBe(true);
    expect(hasRoutes(routeTrace(EVENTS.slice(-2)))).toBe(false);
    expect(hasRoutes(routeTrace([]))).toBe(false);
  });
});

describe('the trace in words', () => {
  test('shows time, step, attempt, route and why', () => {
    expect(routeTraceText(routeTrace(EVENTS), false, textStyle())).toEqual([
      'routes, in order:',
      'TIME      STEP       ATTEMPT  ROUTE                 WHY',
      '12:00:02  unit             1  retry                 exit 1 - on_fail: re-attempt 1 of 1 after lint-fix',
      '12:00:02  unit             1  remediation lint-fix  -',
      '12:00:06  unit             2  goto setup            exit 1 - on_fail: goes back to setup',
      '12:00:07  p@list[0]        1  superseded            overtaken',
      '12:00:09  plain            2  failure               exit 1 - used up',
    ]);
  });

  test('adds with debug what the code saw and said, the backoff, and the loops of the scope', () => {
    const lines = routeTraceText(routeTrace(EVENTS).slice(0, 2), true, textStyle());
    const seen = '            seen: {"attempt":1,"loop":0,"error":null,"foreach":null,"env":{}}';
    expect(lines.slice(2)).toEqual([
      '12:00:01  setup        1  none   -',
      '          goto_js gave null (1.3 ms)',
      seen,
      '12:00:02  unit         1  retry  exit 1 - on_fail: re-attempt 1 of 1 after lint-fix',
      '          run_js gave ["lint-fix"] (1.3 ms)',
      seen,
      '          goto_js gave "setup" (1.3 ms)',
      seen,
      '          backoff: not before 12:00:05, 3s later',
      '          loops: 1 of 10',
    ]);
  });

  test('leaves out the middle of a long story and says how much', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      at(index, { type: 'goto', attempt_id: index + 1, data: taken({ kind: 'goto', target: 'a' }) }),
    );
    const lines = routeTraceText(routeTrace(many), false, textStyle());
    expect(lines).toHaveLength(2 + 20 + 1 + 20);
    expect(lines[22]).toBe('10 more in between; --output json has them all');
    expect(lines[21]).toContain('  20  goto a');
    expect(lines[23]).toContain('  31  goto a');
    expect(routeTraceText(routeTrace(many.slice(10)), false, textStyle())).toHaveLength(2 + 40);
  });

  test('keeps code that could not be evaluated', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      index === 25
        ? at(index, { type: 'evaluation_failure', reason: 'goto_js cannot be evaluated' })
        : at(index, { type: 'goto', attempt_id: index + 1, data: taken({ kind: 'goto', target: 'a' }) }),
    );
    const lines = routeTraceText(routeTrace(many), false, textStyle());
    expect(lines).toHaveLength(2 + 20 + 1 + 1 + 20);
    expect(lines[22]).toBe('9 more in between; --output json has them all');
    expect(lines[23]).toMatch(/evaluation_failure +goto_js cannot be evaluated/);
  });
});
