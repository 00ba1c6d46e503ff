import { parentPort } from 'node:worker_threads';
import type { NewRequest, SubmittedUpdate } from '../../contract/engine.ts';
import type { Simulation, SpecCheck } from '../../contract/records/overview.ts';
import { type ErrorCode, HoldfastError } from '../../core/errors.ts';
import type { SubmittedWorkflow, WorkflowPart } from '../../core/model/workflow-parts.ts';
import { prepareWorkflow, workflowHead, workflowParts } from '../../engine/submit/workflow-parts.ts';
import { type FieldProblem, RequestError } from '../requests/request-error.ts';
import { type CheckSubmission, checkSubmittedSpec } from './check-submitted-spec.ts';
import { type RequestSubmission, readRequestSubmission } from './read-request-submission.ts';
import { readSubmission, readUpdate, type Submission, type UpdateSubmission } from './read-submission.ts';
import { simulateSpec } from './simulate-spec.ts';

// The thread in which submissions are read, one at a time. It can be terminated at any moment.

export type ThreadRequest =
  | { kind: 'read'; submission: Submission }
  | { kind: 'read_update'; submission: UpdateSubmission }
  | { kind: 'read_request'; submission: RequestSubmission }
  | { kind: 'check'; submission: CheckSubmission }
  | { kind: 'simulate'; submission: CheckSubmission }
  | { kind: 'next' }
  | { kind: 'drop' };

/** A refusal as it can be sent from one thread to another. */
export interface SubmissionRefusal {
  code: ErrorCode;
  message: string;
  hint: string;
  fields: FieldProblem[] | null;
}

export type ThreadAnswer =
  | { kind: 'read'; workflow: SubmittedWorkflow; notes: string[] }
  | { kind: 'update'; update: SubmittedUpdate; notes: string[] }
  | { kind: 'request'; request: NewRequest; notes: string[] }
  | { kind: 'checked'; check: SpecCheck }
  | { kind: 'simulated'; simulation: Simulation }
  | { kind: 'refused'; refusal: SubmissionRefusal }
  | { kind: 'part'; part: WorkflowPart | null }
  /** A bug. */
  | { kind: 'failed'; problem: string };

const port = parentPort!;
let parts: Iterator<WorkflowPart> | null = null;

port.on('message', async (request: ThreadRequest) => {
  if (request.kind === 'drop') {
    parts = null;
    return;
  }
  port.postMessage((await answerTo(request)) satisfies ThreadAnswer);
});

async function answerTo(request: Exclude<ThreadRequest, { kind: 'drop' }>): Promise<ThreadAnswer> {
  try {
    if (request.kind === 'next') {
      const step = parts?.next();
      return { kind: 'part', part: step === undefined || step.done ? null : step.value };
    }
    if (request.kind === 'read_request') {
      return { kind: 'request', ...readRequestSubmission(request.submission) };
    }
    if (request.kind === 'check') return { kind: 'checked', check: checkSubmittedSpec(request.submission) };
    if (request.kind === 'simulate') {
      return { kind: 'simulated', simulation: await simulateSpec(request.submission) };
    }
    if (request.kind === 'read_update') {
      const { model, update, notes } = readUpdate(request.submission);
      parts = workflowParts(model);
      return { kind: 'update', update: { ...update, head: workflowHead(model) }, notes };
    }
    const { workflow, notes } = readSubmission(request.submission);
    parts = workflowParts(workflow.model);
    return { kind: 'read', workflow: prepareWorkflow(workflow), notes };
  } catch (error) {
    if (!(error instanceof HoldfastError)) return { kind: 'failed', problem: String((error as Error).stack) };
    const { code, message, hint } = error;
    const fields = error instanceof RequestError ? error.fields : null;
    return { kind: 'refused', refusal: { code, message, hint, fields } };
  }
}
