import type { Places } from '../../core/placement/eligibility.ts';
import { listBansFor } from '../../store/rows/requests/ban-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

/** Sites at which jobs of a workflow may run: those that its request names, without those that are banned. */
export function* loadPlaces(
  { request_id, sites }: Pick<WorkflowRow, 'request_id' | 'sites'>,
  now: number,
): Script<Places> {
  const bans = yield* listBansFor(request_id, now);
  return { bans, sites: sites === null ? null : (JSON.parse(sites) as string[]) };
}
