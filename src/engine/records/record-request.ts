import { ENGINE_ACTOR } from '../../core/request/engine-actor.ts';
import { appendAudit } from '../../store/rows/access/audit-rows.ts';
import type { RequestRow } from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';

export const ENGINE = ENGINE_ACTOR;

/** The name by which a version of a request is referred to. */
export function requestLabel({ name, version }: Pick<RequestRow, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** Appends to the history of a request. */
export function* recordRequest(
  request: Pick<RequestRow, 'id' | 'name' | 'version'>,
  action: string,
  { actor = ENGINE, ...data }: { actor?: string } & Record<string, unknown>,
  now: number,
): Script<void> {
  yield* appendAudit({
    at: now,
    actor,
    action,
    subject: `request ${requestLabel(request)}`,
    request_id: request.id,
    data,
  });
}
