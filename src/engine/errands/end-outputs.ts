import { causeOf, describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import { hookDelayMs, idempotencyKey, MOST_HOOK_TRIES } from '../../core/request/output-hook.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import { finishErrand } from '../../store/rows/errands/errand-rows.ts';
import {
  getOutputErrand,
  type OutputErrandData,
  type OutputErrandRow,
  repeatOutputs,
} from '../../store/rows/errands/output-errand-rows.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { findRoundOf } from '../../store/rows/requests/round-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordRequest } from '../records/record-request.ts';

const MOST_PROBLEM_CHARACTERS = 1_000;

/**
 * A try of an errand about outputs has ended. A try that failed is repeated after a wait, one that was lost with its
 * worker at once; a stopped one does not count. After the last try the failure is recorded, and the errand is over.
 */
export function* endOutputs(id: number, outcome: Outcome, now: number): Script<void> {
  const errand = yield* getOutputErrand(id);
  const data = JSON.parse(errand.data) as OutputErrandData;
  const { tries } = errand;
  const cause = causeOf(outcome);
  if (cause === null || cause === 'canceled') {
    yield* finishErrand(id, outcome, now);
    return;
  }
  if (cause === 'stopped') {
    yield* repeatOutputs({ id, tries: tries - 1 }, data, now);
    return;
  }
  const problem = harmlessLine(describeOutcome(outcome), MOST_PROBLEM_CHARACTERS);
  if (tries >= MOST_HOOK_TRIES) {
    yield* finishErrand(id, outcome, now);
    yield* recordFailure(errand, data, problem, now);
    return;
  }
  const dueAt = cause === 'lost' ? now : now + hookDelayMs(tries);
  yield* repeatOutputs({ id, tries }, { ...data, problem }, dueAt);
}

function* recordFailure(
  { request_id, workflow_id, run_id, tries }: OutputErrandRow,
  { event }: OutputErrandData,
  problem: string,
  now: number,
): Script<void> {
  const request = yield* getRequestRow(request_id);
  const { number: round } = (yield* findRoundOf(workflow_id))!;
  const key = idempotencyKey(request, event, { round, run_id });
  yield* recordRequest(
    request,
    'output_hook_failed',
    { event, idempotency_key: key, tries, problem, workflow_id, run_id },
    now,
  );
}
