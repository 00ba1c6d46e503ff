import type { ErrorSettings } from '../../core/request/error-settings.ts';
import type { UnreadBody } from '../requests/read-request.ts';
import type { SubmissionDesk } from '../submission/submission-desk.ts';
import { limitsOf, type RoleLimits } from '../submission/submission-limits.ts';
import type { Handlers } from './handler.ts';

export function requestHandlers(
  submissions: SubmissionDesk,
  limits: RoleLimits,
  { settings, hasDagman }: { settings: Partial<ErrorSettings>; hasDagman: boolean },
): Handlers<'createRequest'> {
  return {
    createRequest: ({ body, actor, caller }) =>
      submissions.submitRequest({
        text: (body as unknown as UnreadBody).text,
        actor,
        limits: limitsOf(caller!.role, limits),
        settings,
        hasDagman,
      }),
  };
}
