import { askFlow, type FlowDraft } from '../../core/flow/flow-draft.ts';
import type { FlowMoves } from '../../core/flow/flow-moves.ts';
import { emptyPart, type FlowPart } from '../../core/flow/flow-part.ts';
import { finishErrandsOf } from '../../store/rows/errands/errand-rows.ts';
import { appendEvents } from '../../store/rows/events/event-rows.ts';
import {
  blockUnmet,
  moveJobs,
  releaseSet,
  writeCalls,
  writeRoutes,
  writeSets,
} from '../../store/rows/flow/flow-move-rows.ts';
import { loadJobs, loadNeed } from '../../store/rows/flow/flow-part-rows.ts';
import type { Script } from '../../store/script.ts';

/** A workflow and its current run. */
export interface RunOf {
  id: number;
  run_id: number;
}

/**
 * Loads the part of the graph that a question about the flow needs, asks it, and writes the moves. A part that was
 * loaded before may be passed; it is out of date afterwards.
 */
export function* followFlow<T>(
  workflow: RunOf,
  now: number,
  question: (draft: FlowDraft) => T,
  part: FlowPart = emptyPart(),
): Script<T> {
  for (;;) {
    const answer = askFlow(part, now, question);
    if ('moves' in answer) {
      yield* writeMoves(workflow, answer.moves, now);
      return answer.result;
    }
    yield* loadNeed(workflow.id, part, answer.need);
  }
}

/** The answer to a question about the flow; the moves are not made. */
export function* foreseeFlow<T>(workflow: RunOf, now: number, question: (draft: FlowDraft) => T): Script<T> {
  const part = emptyPart();
  for (;;) {
    const answer = askFlow(part, now, question);
    if ('moves' in answer) return answer.result;
    yield* loadNeed(workflow.id, part, answer.need);
  }
}

/** A part with these jobs. */
export function* partOf(jobIds: readonly number[]): Script<FlowPart> {
  const part = emptyPart();
  yield* loadJobs(part, jobIds);
  return part;
}

function* writeMoves(workflow: RunOf, moves: FlowMoves, now: number): Script<void> {
  yield* moveJobs(moves.jobs);
  yield* writeSets(moves.sets);
  for (const { set_id, after_failure, loaded } of moves.releases) {
    yield* releaseSet(set_id, after_failure, now, loaded);
  }
  yield* blockUnmet(moves.blocks);
  yield* writeCalls(moves.calls);
  yield* writeRoutes(moves.routes);
  // The code of a route that was dropped may wait to be evaluated, or be under way.
  for (const { token, from } of moves.routes) {
    if (from === 'evaluating') yield* finishErrandsOf(token, 'route dropped', now);
  }
  const place = { workflow_id: workflow.id, run_id: workflow.run_id, at: now };
  yield* appendEvents(moves.events.map((event) => ({ ...place, ...event })));
}
