import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReferenceStep, referenceRouting } from '../core/reference-routing.ts';
import { courses } from '../property-runs.ts';
import { onSqlite } from './engine-world.ts';
import { MANY, playOnEngine, staticRoutes, withoutCode } from './routing-reference.ts';

staticRoutes(onSqlite, 300);

/** A step that only says what differs. */
function step(name: string, rest: Partial<ReferenceStep> = {}): ReferenceStep {
  return { name, after: [], onCall: false, onFail: null, onSuccess: null, outcomes: [], ...rest };
}

const NEVER = Array.from({ length: 50 }, () => false);
const onCall = { onCall: true };
const fixed = { max: 0, run: ['fix'], goto: null };

test.for<[string, number, ReferenceStep[], string]>([
  [
    'G1',
    10,
    [step('b', { onFail: { ...fixed, max: 1 }, outcomes: [false] }), step('fix', onCall)],
    'b fix b',
  ],
  ['G2', 10, [step('b', { onFail: fixed, outcomes: NEVER }), step('fix', onCall)], 'b fix b'],
  [
    'G3',
    3,
    [
      step('a'),
      step('b', { after: ['a'], onFail: { ...fixed, goto: 'a' }, outcomes: NEVER }),
      step('fix', onCall),
    ],
    'a b fix b a b fix b',
  ],
  [
    'G4',
    10,
    [step('b', { onFail: fixed, outcomes: NEVER }), step('fix', { ...onCall, outcomes: NEVER }), step('x')],
    'b fix x',
  ],
  [
    'G5',
    10,
    [
      step('a'),
      step('b', { after: ['a'], onFail: { max: 1, run: [], goto: 'a' }, outcomes: [false, false] }),
      step('x'),
    ],
    'a b b a b x',
  ],
  [
    'G9',
    0,
    [step('a'), step('b', { after: ['a'], onFail: { max: 0, run: [], goto: 'a' }, outcomes: NEVER })],
    'a b',
  ],
  [
    'G15',
    10,
    [
      step('n'),
      step('b', { after: ['n'], onSuccess: { run: ['n'], goto: null } }),
      step('deploy', { after: ['n', 'b'] }),
    ],
    'n b n deploy',
  ],
])('the reference model has worked case %s right', ([, maxLoops, steps, executions]) => {
  expect(referenceRouting(steps, maxLoops).executions.join(' ')).toBe(executions);
});

const ONCE = [false];
const goingTo = (goto: string, run: string[] = []) => ({ max: 0, run, goto });
const running = (...run: string[]) => ({ run, goto: null });

/** Where gotos meet calls, which random graphs rarely draw. */
test.for<[string, number, ReferenceStep[]]>([
  [
    'a goto overtakes a step that serves a call and calls another',
    2,
    [
      step('s0', { onSuccess: running('s2') }),
      step('s1', { onFail: { max: 0, run: ['s0'], goto: null }, outcomes: ONCE }),
      step('s2', { after: ['s0'], onFail: goingTo('s0'), outcomes: [false, false] }),
      step('s3', { after: ['s0'], onFail: goingTo('s0'), outcomes: ONCE }),
    ],
  ],
  [
    'a goto overtakes a call at second hand, by a step on call',
    5,
    [
      step('s0', { onFail: { max: 1, run: [], goto: null }, outcomes: ONCE }),
      step('s1', { after: ['s0'], outcomes: ONCE }),
      step('s2', { after: ['s0'], onFail: goingTo('s0'), outcomes: ONCE }),
      step('s3', {
        ...onCall,
        onFail: { max: 3, run: [], goto: null },
        onSuccess: running('s6'),
        outcomes: ONCE,
      }),
      step('s4', { after: ['s0'], onFail: goingTo('s0'), onSuccess: running('s3'), outcomes: ONCE }),
      step('s5', { after: ['s0'], onFail: goingTo('s0'), outcomes: ONCE }),
      step('s6', { after: ['s4'], onFail: goingTo('s0'), outcomes: ONCE }),
    ],
  ],
  [
    'a goto drops a call of a step for which another call waits',
    4,
    [
      step('s0', { onFail: { max: 0, run: ['s5'], goto: null }, outcomes: [true, false] }),
      step('s1', { after: ['s0'], outcomes: ONCE }),
      step('s2', { after: ['s0'], onFail: goingTo('s0', ['s0']), outcomes: ONCE }),
      step('s3', { onFail: { max: 3, run: [], goto: null }, onSuccess: running('s0'), outcomes: ONCE }),
      step('s4', { after: ['s0'], outcomes: ONCE }),
      step('s5', {
        after: ['s0'],
        onFail: goingTo('s0'),
        onSuccess: { run: [], goto: 's0' },
        outcomes: ONCE,
      }),
    ],
  ],
])('the engine goes as the reference model says where %s', async ([, maxLoops, steps]) => {
  expect(await playOnEngine(steps, maxLoops)).toEqual(referenceRouting(steps, maxLoops));
});

test('the reference model itself ends, whatever is drawn', () => {
  fc.assert(
    fc.property(withoutCode, fc.nat(20), (steps, maxLoops) => {
      const { executions, ends } = referenceRouting(steps, maxLoops);
      expect(executions.length).toBeLessThan(MANY);
      for (const status of Object.values(ends)) expect(status).not.toMatch(/ready|blocked/);
    }),
    { numRuns: courses(3000) },
  );
});
