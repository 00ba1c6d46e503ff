import type { CancelResult } from '../../contract/engine.ts';
import type { View } from '../terminal/view.ts';
import { jobsCounted } from './parts/some-names.ts';

export interface ShownCancellation extends CancelResult {
  workflow_id: number;
  dry_run: boolean;
}

export const cancellationView: View<ShownCancellation> = {
  json: (cancellation) => cancellation,
  table: ({ workflow_id, dry_run, canceled, stopping, actions }) => {
    const stop = dry_run ? 'would stop' : 'stopping';
    const running =
      stopping.length > 0
        ? `, ${stop} ${jobsCounted(stopping.length)} that ${stopping.length === 1 ? 'runs' : 'run'} now`
        : '';
    const beside =
      actions.length > 0 ? `, ${stop} ${actions.length} ${actions.length === 1 ? 'action' : 'actions'}` : '';
    const would = dry_run ? 'would cancel' : 'canceled';
    return [`workflow ${workflow_id}: ${would} ${jobsCounted(canceled.length)}${running}${beside}`];
  },
  quiet: ({ canceled, stopping }) => [...canceled, ...stopping],
};
