import type { RequestRecord } from '../../../contract/records/request.ts';
import type { Style } from '../../terminal/styled-line.ts';

const STYLES: Record<RequestRecord['status'], Style> = {
  SUBMITTED: 'dim',
  QUEUED: 'cyan',
  PLANNING: 'cyan',
  ACTIVE: 'cyan',
  STOPPING: 'yellow',
  RESUBMITTING: 'yellow',
  PAUSED: 'yellow',
  HELD: 'yellow',
  COMPLETED: 'green',
  FAILED: 'red',
};

export function requestStyle(state: RequestRecord['status']): Style {
  return STYLES[state];
}
