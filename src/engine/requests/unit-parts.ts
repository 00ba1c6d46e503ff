import type { StoredUnit, WorkflowPart } from '../../core/model/workflow-parts.ts';
import type { RoundUnit } from '../../spec/request/round-workflow.ts';
import { splitRows } from '../submit/workflow-parts.ts';

/** Two numbers each: more of them than of other rows are stored in a few milliseconds. */
const MOST_UNIT_ITEMS = 1_000;

/** The units of a round as parts of its workflow, after the jobs and sets that they refer to. */
export function* unitParts(units: readonly RoundUnit[]): Generator<WorkflowPart> {
  yield* splitRows('units', storedUnits(units));
  yield* splitRows('unit_items', unitItems(units), MOST_UNIT_ITEMS);
}

function* storedUnits(units: readonly RoundUnit[]): Generator<StoredUnit> {
  for (const { number, set, first, last, count, outputs } of units) {
    yield {
      number,
      set,
      first: first === null ? null : String(first),
      last: last === null ? null : String(last),
      size: Number(count),
      outputs,
    };
  }
}

function* unitItems(units: readonly RoundUnit[]): Generator<{ unit: number; item_id: number }> {
  for (const [unit, { item_ids }] of units.entries()) for (const item_id of item_ids) yield { unit, item_id };
}
