import type { RequestRecord, RoundRecord, UnitRecord } from '../../contract/records/request.ts';
import type { UnitCounts } from '../../core/request/decide-round.ts';
import { runNames } from './run-names.ts';

/** One round: how its runs ended, and the units that are not done. */
export interface ExplainedRound {
  request_name: string;
  version: number;
  number: number;
  state: RoundRecord['state'];
  workflow_id: number;
  units: UnitCounts;
  runs: (RoundRecord['runs'][number] & { run: string })[];
  /** Units that failed or were not run, at most some. */
  failed: Pick<UnitRecord, 'number' | 'state' | 'first' | 'last' | 'size'>[];
}

export function explainedRound(
  { request_name, version }: Pick<RequestRecord, 'request_name' | 'version'>,
  { runs, number, state, workflow_id, units }: RoundRecord,
  failed: readonly UnitRecord[],
): ExplainedRound {
  const names = runNames(runs);
  return {
    request_name,
    version,
    number,
    state,
    workflow_id,
    units,
    runs: runs.map((run, index) => ({ ...run, run: names[index]! })),
    failed: failed.map((unit) => ({
      number: unit.number,
      state: unit.state,
      first: unit.first,
      last: unit.last,
      size: unit.size,
    })),
  };
}
