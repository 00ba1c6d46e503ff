import type { UnitCounts } from '../../core/request/decide-round.ts';
import { creditItems } from '../../store/rows/requests/inventory-rows.ts';
import { type RequestRow, setDelivered } from '../../store/rows/requests/request-rows.ts';
import { deliveredBy } from '../../store/rows/requests/unit-rows.ts';
import type { Script } from '../../store/script.ts';
import type { RunOf } from '../flow/follow-flow.ts';

export interface Credit {
  units: UnitCounts;
  /** Numbers or items that the request has delivered, and how many of them in this run. */
  delivered: bigint;
  gained: bigint;
}

/** Settles the units of a round at the end of a run, and adds what those that are done delivered to the ledger. */
export function* creditUnits(
  request: RequestRow,
  run: RunOf,
  settle: (workflowId: number, runId: number) => Script<UnitCounts>,
): Script<Credit> {
  const before = yield* deliveredBy(run.id);
  const units = yield* settle(run.id, run.run_id);
  const gained = (yield* deliveredBy(run.id)) - before;
  const delivered = BigInt(request.delivered) + gained;
  yield* creditItems(run.id);
  yield* setDelivered(request.id, String(delivered));
  return { units, delivered, gained };
}
