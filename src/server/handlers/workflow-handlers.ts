import {
  BAD_IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_TEXT,
} from '../../contract/request-headers.ts';
import type { Teams } from '../auth/teams.ts';
import type { UnreadBody } from '../requests/read-request.ts';
import { RequestError } from '../requests/request-error.ts';
import type { Submission } from '../submission/read-submission.ts';
import type { SubmissionDesk } from '../submission/submission-desk.ts';
import { limitsOf, type RoleLimits } from '../submission/submission-limits.ts';
import type { Handlers } from './handler.ts';

export function workflowHandlers(
  submissions: SubmissionDesk,
  limits: RoleLimits,
  teams: Teams,
  {
    retryDefaults,
    hasCluster,
    hasDagman,
    notify,
  }: Pick<Submission, 'retryDefaults' | 'hasCluster' | 'hasDagman' | 'notify'>,
): Handlers<'createWorkflow' | 'updateWorkflow' | 'checkSpec' | 'simulateSpec'> {
  return {
    checkSpec: async ({ body, caller }) =>
      submissions.check({
        text: (body as unknown as UnreadBody).text,
        limits: limitsOf(caller!.role, limits),
        retryDefaults,
        notify,
        groups: await teams.groupPolicy(caller),
      }),
    simulateSpec: async ({ body, caller }) =>
      submissions.simulate({
        text: (body as unknown as UnreadBody).text,
        limits: limitsOf(caller!.role, limits),
        retryDefaults,
        notify,
        groups: await teams.groupPolicy(caller),
      }),
    updateWorkflow: async ({ params, body, actor, caller }) =>
      submissions.update(params.workflow_id, {
        text: (body as unknown as UnreadBody).text,
        actor,
        limits: limitsOf(caller!.role, limits),
        retryDefaults,
        notify,
        groups: await teams.groupPolicy(caller, params.workflow_id),
      }),
    createWorkflow: async ({ body, actor, caller, request }) =>
      submissions.submit({
        text: (body as unknown as UnreadBody).text,
        actor,
        idempotencyKey: idempotencyKey(request.headers[IDEMPOTENCY_KEY]),
        limits: limitsOf(caller!.role, limits),
        retryDefaults,
        hasCluster,
        hasDagman,
        notify,
        groups: await teams.groupPolicy(caller),
      }),
  };
}

function idempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && IDEMPOTENCY_KEY_TEXT.test(header)) return header;
  throw new RequestError([{ path: `headers.${IDEMPOTENCY_KEY}`, message: BAD_IDEMPOTENCY_KEY }]);
}
