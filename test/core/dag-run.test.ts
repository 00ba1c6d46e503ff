import { describe, expect, test } from 'vitest';
import { type DagRunSituation, decideDagRun, MOST_CRASHES } from '../../src/core/dag/dag-run.ts';
import {
  asDagmanDecided,
  attemptOfRecord,
  recordWithoutEvidence,
} from '../../src/core/dag/recorded-attempt.ts';
import { roundNode } from '../../src/core/dag/round-nodes.ts';
import { decide } from '../../src/core/policy/decide.ts';
import { NO_HISTORY, PLAIN_END, type Policy } from '../../src/core/policy/decision.ts';
import { DEFAULT_RETRY } from '../../src/core/policy/retry-policy.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import { processName, unitName } from '../../src/core/request/unit-name.ts';

const NOW = 1_000_000;
const SITUATION: DagRunSituation = {
  state: 'submitted',
  wanted: true,
  paused: false,
  nextTryAt: null,
  removedAt: null,
  haltedAt: null,
  crashes: 0,
  view: { state: 'running', crashed: false },
};

describe('the next step with a run on DAGMan', () => {
  test.each<[string, Partial<DagRunSituation>, string]>([
    ['a planned one is submitted', { state: 'planned', view: null }, 'submit'],
    ['after a refusal, later', { state: 'planned', nextTryAt: NOW + 1, view: null }, 'wait'],
    ['a planned one that nobody wants is closed', { state: 'planned', wanted: false, view: null }, 'close'],
    ['one that may be submitted is looked for', { state: 'submitting', view: null }, 'find'],
    ['also when nobody wants it', { state: 'submitting', wanted: false, view: null }, 'find'],
    ['a running one is left alone', {}, 'wait'],
    ['nothing follows from silence', { view: { state: 'unknown', crashed: false } }, 'wait'],
    ['not even a removal', { wanted: false, view: { state: 'unknown', crashed: false } }, 'wait'],
    ['one that nobody wants is removed', { wanted: false }, 'remove'],
    ['which is not asked for every second', { wanted: false, removedAt: NOW - 1000 }, 'wait'],
    ['and asked for again', { wanted: false, removedAt: NOW - 31_000 }, 'remove'],
    ['a paused one starts nothing new', { paused: true }, 'halt'],
    ['which is asked for once', { paused: true, haltedAt: NOW }, 'wait'],
    ['a resumed one starts jobs again', { haltedAt: NOW }, 'continue'],
    ['a paused one that is not wanted is removed', { paused: true, wanted: false }, 'remove'],
    ['a paused one is not submitted', { state: 'planned', paused: true, view: null }, 'close'],
    [
      'a dead one is not submitted again while it is paused',
      { paused: true, view: { state: 'ended', crashed: true } },
      'settle',
    ],
    ['an ended one is read back', { view: { state: 'ended', crashed: false } }, 'settle'],
    ['also when nobody wants it', { wanted: false, view: { state: 'ended', crashed: true } }, 'settle'],
    ['a dead one is submitted again', { view: { state: 'ended', crashed: true } }, 'resubmit'],
    ['but not for ever', { crashes: MOST_CRASHES, view: { state: 'ended', crashed: true } }, 'settle'],
  ])('%s: %o', (_, facts, step) => {
    expect(decideDagRun({ ...SITUATION, ...facts }, NOW)).toBe(step);
  });
});

test('jobs of units have places in the DAG of their round', () => {
  expect(roundNode(`${unitName(12)}_${processName(3)}`)).toEqual({ unit: 'u000012', node: 'proc_000003' });
  expect(roundNode(`${unitName(12)}_merge`)).toEqual({ unit: 'u000012', node: 'merge' });
  expect(roundNode('other')).toBeNull();
});

test('a node without a record counts as DAGMan says, and the reason says that there is none', () => {
  const node = { node_name: 'merge', run: 2, attempt: 1 };
  const failed = recordWithoutEvidence(node, false, NOW);
  expect(attemptOfRecord(failed, DEFAULT_ERROR_SETTINGS)).toMatchObject({
    outcome: { lost: true },
    post: { exit_code: 1, problem: 'no post record' },
    finished_at_ms: NOW,
  });
  expect(attemptOfRecord(recordWithoutEvidence(node, true, NOW), DEFAULT_ERROR_SETTINGS)).toMatchObject({
    outcome: { exit_code: 0 },
    post: { exit_code: 0 },
  });
});

test('what DAGMan did holds, and the walk says so where the failure path would decide otherwise', () => {
  const policy: Policy = {
    handler: null,
    retry: { ...DEFAULT_RETRY, max_retries_failure: 0 },
    deadlineMs: null,
    usePendingFailed: false,
    memoryBytes: null,
    runtimeMs: null,
    routes: null,
    postCodes: { permanent_code: 42, abort_code: 43 },
  };
  const record = recordWithoutEvidence({ node_name: 'merge', run: 1, attempt: 1 }, true, NOW);
  record.job.exit_code = 7;
  record.classification = {
    ...record.classification,
    action: 'retry',
    category: 'transient',
    reason: 'exit 7',
  };
  const { outcome, post } = attemptOfRecord(record, DEFAULT_ERROR_SETTINGS);
  const ended = { outcome, post, attemptId: 1, startedAt: NOW, finishedAt: NOW, seed: 1, stderrMatches: [] };
  const decision = decide({ ...ended, ...PLAIN_END }, policy, NO_HISTORY);
  expect(decision.verdict.kind).toBe('fail');
  const held = asDagmanDecided(decision, record, false);
  expect(held).toMatchObject({
    verdict: { kind: 'retry' },
    status: 'ready',
    notBefore: null,
    charge: 'failure',
    reason: 'DAGMan: exit 7',
  });
  expect(held.walk.at(-1)).toMatchObject({ rule: 'post', applies: true });
  record.classification.action = 'retries_exhausted';
  expect(asDagmanDecided(decision, record, false)).toBe(decision);
  record.classification.action = 'absorbed';
  expect(asDagmanDecided(decision, record, true)).toBe(decision);
  expect(asDagmanDecided(decision, record, false)).toMatchObject({ status: 'completed' });
});
