import type { RequestRecord } from '../../contract/records/request.ts';

export type NextAction = RequestRecord['next'][number];

const PURPOSES: Record<NextAction, string> = {
  errors: 'what failed, by category, site and exit code',
  release: 'continue with the next round',
  restart: 'fail it, and submit it again as the next version',
  fail: 'give it up; its outputs are invalidated',
  resume: 'put it back into the queue',
  stop: 'stop it cleanly; finished units are kept',
  pause: 'keep it out of the queue',
  run: 'work on it here',
};

/** What an action on a request is for. */
export function purposeOf(action: NextAction): string {
  return PURPOSES[action];
}

/** `name`, or `name@2` for a version that another one has replaced: the name alone is the newest version. */
export function requestRef({
  request_name,
  version,
  superseded_by_request: newer,
}: Pick<RequestRecord, 'request_name' | 'version' | 'superseded_by_request'>): string {
  return newer === null ? request_name : `${request_name}@${version}`;
}
