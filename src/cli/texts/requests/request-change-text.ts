import type { RequestChange } from '../../../contract/records/request.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { View } from '../../terminal/view.ts';

export interface ShownChange {
  change: RequestChange;
  /** Nothing was changed. */
  isDryRun: boolean;
}

export const requestChangeView: View<ShownChange> = {
  json: ({ change }) => change,
  table: ({ change: { request_name, status, previous_status, message }, isDryRun }) => {
    const move = status === previous_status ? status : `${previous_status} → ${status}`;
    const line = `${visibleText(request_name)}: ${move}; ${visibleText(message)}`;
    return [isDryRun ? `would change ${line} (nothing was changed)` : line];
  },
  quiet: ({ change }) => [change.status],
};
