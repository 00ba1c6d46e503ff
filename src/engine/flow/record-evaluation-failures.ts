import type { Evaluation } from '../../core/job/evaluation.ts';
import { appendEvents, type NewEvent } from '../../store/rows/events/event-rows.ts';
import type { Script } from '../../store/script.ts';

/** One event for each piece of code that could not be evaluated, or whose result could not be used. */
export function* recordEvaluationFailures(
  place: Omit<NewEvent, 'type' | 'reason' | 'data'>,
  evaluations: readonly Evaluation[],
): Script<void> {
  const failures = evaluations.flatMap(({ key, result }): NewEvent[] => {
    if (result.ok) return [];
    const { problem } = result;
    const what = problem.startsWith(key) ? problem : `${key} cannot be evaluated: ${problem}`;
    return [
      { ...place, type: 'evaluation_failure', reason: `${what}; ${EFFECT[key]}`, data: { key, problem } },
    ];
  });
  yield* appendEvents(failures);
}

const EFFECT: Record<Evaluation['key'], string> = {
  if: 'the step fails',
  fail_if: 'the attempt has failed',
  run_js: 'the static keys apply',
  goto_js: 'the static keys apply',
  stderr: 'rules with such a pattern do not match',
};
