import type { RequestRecord } from '../../contract/records/request.ts';

/** What `run` exits with in states in which nothing more happens without a person; other states have none. */
export const REQUEST_EXIT: Partial<Record<RequestRecord['status'], 0 | 1 | 3>> = {
  COMPLETED: 0,
  FAILED: 1,
  HELD: 3,
  PAUSED: 3,
};

/** A request by its name and version, so that a newer version is not taken for it. */
export function refOf({ request_name, version }: Pick<RequestRecord, 'request_name' | 'version'>): string {
  return `${request_name}@${version}`;
}
