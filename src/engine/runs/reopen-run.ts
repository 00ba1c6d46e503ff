import { isRunEnd } from '../../core/run/run-transitions.ts';
import { withdrawEndActions } from '../../store/rows/errands/action-rows.ts';
import { setArchived } from '../../store/rows/workflows/housekeeping-rows.ts';
import { findRun, setRunOpen } from '../../store/rows/workflows/run-rows.ts';
import type { Script } from '../../store/script.ts';
import type { RunOf } from '../flow/follow-flow.ts';

/** A run that has ended is open again, since a job of it runs once more. Actions of its end that have not begun are withdrawn. */
export function* reopenRun(run: RunOf): Script<void> {
  const row = yield* findRun(run.id, run.run_id);
  if (!isRunEnd(row.state)) return;
  yield* setRunOpen(run.id, row);
  yield* setArchived(run.id, null);
  yield* withdrawEndActions(run.id, run.run_id);
}
