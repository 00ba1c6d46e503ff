import type { Teams } from '../auth/teams.ts';
import type { UnreadBody } from '../requests/read-request.ts';
import type { RequestSubmission } from '../submission/read-request-submission.ts';
import type { SubmissionDesk } from '../submission/submission-desk.ts';
import { limitsOf, type RoleLimits } from '../submission/submission-limits.ts';
import type { Handlers } from './handler.ts';

export function requestHandlers(
  submissions: SubmissionDesk,
  limits: RoleLimits,
  teams: Teams,
  { settings, hasDagman, notify }: Pick<RequestSubmission, 'settings' | 'hasDagman' | 'notify'>,
): Handlers<'createRequest'> {
  return {
    createRequest: async ({ body, actor, caller }) =>
      submissions.submitRequest(
        {
          text: (body as unknown as UnreadBody).text,
          actor,
          limits: limitsOf(caller!.role, limits),
          settings,
          hasDagman,
          notify,
          groups: await teams.groupPolicy(caller),
        },
        (name) => teams.admitSuccessor(caller, name),
      ),
  };
}
