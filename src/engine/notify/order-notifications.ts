import { jobLabel } from '../../core/job/job-label.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import { withReason } from '../../core/job/outcome.ts';
import { chooseTargets } from '../../core/notify/choose-targets.ts';
import { targetKey } from '../../core/notify/describe-target.ts';
import { type Edge, edgeOfRunEnd } from '../../core/notify/edges.ts';
import type { EdgeFacts } from '../../core/notify/message.ts';
import type { NotifyEntry } from '../../core/notify/notify-model.ts';
import type { RunVerdict } from '../../core/run/decide-run.ts';
import {
  insertNotification,
  listJobsWithReason,
  type NotificationOwner,
  setTroubled,
  severalWait,
} from '../../store/rows/errands/notification-rows.ts';
import { decodeModel, getRequestRow, type RequestRow } from '../../store/rows/requests/request-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { attemptError } from '../records/attempt-error.ts';
import { requestLabel } from '../records/record-request.ts';
import { countJobs } from './count-jobs.ts';
import { subscribersOf } from './subscribers-of.ts';

// An edge is notified once, because its notifications are ordered in the transaction that makes it.

const SHOWN_FAILURES = 5;

/** A run has ended. The ends of rounds are no edges: their request is notified. */
export function* notifyRunEnd(run: RunOf, { state }: RunVerdict, now: number): Script<void> {
  const workflow = yield* findWorkflow(run.id);
  if (workflow === undefined || workflow.request_id !== null) return;
  if (state !== 'completed' && state !== 'failed' && state !== 'canceled') return;
  const edge = edgeOfRunEnd(state, workflow.troubled === 1);
  if (edge === 'failed' && workflow.troubled === 0) yield* setTroubled('workflow', run.id, true);
  if (edge === 'recovered') yield* setTroubled('workflow', run.id, false);
  yield* notifyWorkflow(workflow, edge, state, now);
}

/** A job waits for a decision. While one does, others that wait as well are no edges. */
export function* notifyWaiting(run: RunOf, now: number): Script<void> {
  if (yield* severalWait(run.id)) return;
  const workflow = yield* findWorkflow(run.id);
  if (workflow === undefined) return;
  if (workflow.troubled === 0) yield* setTroubled('workflow', run.id, true);
  yield* notifyWorkflow(workflow, 'waiting', 'waiting', now);
}

/** A request is held, has ended, or was failed. */
export function* notifyRequest(
  request: RequestRow,
  edge: Exclude<Edge, 'waiting' | 'recovered'>,
  { state, reason }: { state: string; reason: string | null },
  now: number,
): Script<void> {
  const recovers = edge === 'finished' && request.troubled === 1;
  if (edge === 'held' && request.troubled === 0) yield* setTroubled('request', request.id, true);
  if (recovers) yield* setTroubled('request', request.id, false);
  const event = recovers ? 'recovered' : edge;
  const entries = decodeModel(request.model).notify ?? [];
  const targets = chooseTargets(event, entries, yield* subscribersOf(request));
  if (targets.length === 0) return;
  const facts: EdgeFacts = {
    event,
    subject: 'request',
    workflow_id: null,
    run_id: null,
    name: requestLabel(request),
    state,
    jobs: null,
    failures: [],
    reason,
    at_ms: now,
  };
  const owner = { workflow_id: null, run_id: null, request_id: request.id };
  yield* order(owner, targets, facts, request.cwd, now);
}

function* notifyWorkflow(workflow: WorkflowRow, edge: Edge, state: string, now: number): Script<void> {
  const { id, run_id, request_id, cwd } = workflow;
  const request = request_id === null ? null : yield* getRequestRow(request_id);
  const entries =
    request === null
      ? (JSON.parse(workflow.notify) as NotifyEntry[])
      : (decodeModel(request.model).notify ?? []);
  const targets = chooseTargets(edge, entries, yield* subscribersOf(request ?? workflow));
  if (targets.length === 0) return;
  const facts: EdgeFacts = {
    event: edge,
    subject: 'workflow',
    workflow_id: id,
    run_id,
    name: workflow.name,
    state,
    jobs: yield* countJobs(workflow),
    failures: yield* someFailures(workflow, edge),
    reason: null,
    at_ms: now,
  };
  yield* order({ workflow_id: id, run_id, request_id: null }, targets, facts, cwd, now);
}

function* order(
  owner: NotificationOwner,
  targets: readonly Omit<NotifyEntry, 'on'>[],
  facts: EdgeFacts,
  cwd: string,
  now: number,
): Script<void> {
  const { subject, workflow_id, run_id, name, event, at_ms } = facts;
  const who = subject === 'request' ? name : `${workflow_id}/${run_id}`;
  const key = `${subject}/${who}/${event}/${at_ms}`;
  for (const entry of targets) {
    yield* insertNotification(owner, targetKey(entry.target), { facts, entry, key, cwd, problem: null }, now);
  }
}

const FAILED: readonly JobStatus[] = ['failed', 'terminated'];

function* someFailures({ id, run_id }: WorkflowRow, edge: Edge): Script<EdgeFacts['failures']> {
  if (edge !== 'failed' && edge !== 'waiting') return [];
  const statuses: readonly JobStatus[] = edge === 'waiting' ? ['pending_failed'] : FAILED;
  const rows = yield* listJobsWithReason(id, run_id, statuses, SHOWN_FAILURES);
  return rows.map((row) => ({
    name: jobLabel(row),
    reason: withReason(attemptError(row), row.reason ?? ''),
  }));
}
