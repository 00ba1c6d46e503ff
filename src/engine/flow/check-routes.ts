import type { Evaluation } from '../../core/job/evaluation.ts';
import type { DynamicRoutes } from '../../core/policy/take-route.ts';
import { isAncestor } from '../../store/rows/flow/job-route-rows.ts';
import { findJobIn } from '../../store/rows/jobs/job-rows.ts';
import type { Script } from '../../store/script.ts';
import { findCallee } from './run-calls.ts';

interface Place {
  workflow_id: number;
  job_id: number;
  name: string;
  scope: string;
}

export interface CheckedRoutes {
  dynamic: DynamicRoutes;
  /** As they came, but that an answer which leads nowhere is an evaluation failure too. */
  evaluations: Evaluation[];
}

/** What `run_js` and `goto_js` said, if it can be followed. Otherwise the static keys apply. */
export function* checkDynamicRoutes(place: Place, evaluations: readonly Evaluation[]): Script<CheckedRoutes> {
  const dynamic: DynamicRoutes = {};
  const checked: Evaluation[] = [];
  for (const evaluation of evaluations) {
    const { key, result } = evaluation;
    const problem =
      !result.ok || (key !== 'run_js' && key !== 'goto_js')
        ? null
        : key === 'run_js'
          ? yield* runProblem(place, result.value)
          : yield* gotoProblem(place, result.value);
    const isGood = result.ok && problem === null;
    if (key === 'run_js') dynamic.run = isGood ? (result.value as string[]) : [];
    if (key === 'goto_js') dynamic.goto = isGood ? ((result.value ?? null) as string | false | null) : null;
    checked.push(problem === null ? evaluation : { ...evaluation, result: { ok: false, problem } });
  }
  return { dynamic, evaluations: checked };
}

function* runProblem(place: Place, value: unknown): Script<string | null> {
  if (!Array.isArray(value)) return `run_js must return a list of step ids, not ${quoted(value)}`;
  for (const id of value) {
    if (typeof id !== 'string') return `run_js must return step ids, not ${quoted(id)}`;
    if (id === place.name) return `run_js names ${id} itself`;
    if ((yield* findCallee(place.workflow_id, id, place.scope)) === undefined)
      return `run_js names ${quoted(id)}, which is no step of this scope`;
  }
  return null;
}

function* gotoProblem(place: Place, value: unknown): Script<string | null> {
  if (value === null || value === undefined || value === false) return null;
  if (typeof value !== 'string') return `goto_js must return a step id, null or false, not ${quoted(value)}`;
  const target = yield* findJobIn(place.workflow_id, value, place.scope);
  if (target === undefined) return `goto_js names ${quoted(value)}, which is no step of this scope`;
  if (!(yield* isAncestor(target.id, place.job_id)))
    return `goto_js names ${value}, which does not come before ${place.name}`;
  return null;
}

/** The value as it was returned, cut to a length that fits a message. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
