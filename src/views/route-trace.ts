import type { EventRecord, EventType, RouteTaken } from '../contract/records/records.ts';
import type { Evaluation } from '../core/job/evaluation.ts';
import { outcomeAndReason } from './attempt.ts';

/** `none`: code was evaluated, and no route was taken. */
export type TraceRoute =
  | 'failure'
  | 'retry'
  | 'remediation'
  | 'call'
  | 'goto'
  | 'loop_abort'
  | 'superseded'
  | 'evaluation_failure'
  | 'none';

/** One route of a run, or one failure. `--output json` prints these. */
export interface TraceEntry {
  at_ms: number;
  job_id: number;
  step: string;
  scope: string;
  attempt_id: number | null;
  route: TraceRoute;
  /** The steps that are run, or the one to go back to. */
  to: string[];
  why: string;
  /** Re-attempts and jumps in the scope, this one included; null where the route is none of these. */
  loop: number | null;
  max_loops: number | null;
  /** When the re-attempt may start at the earliest. */
  retry_available_at_ms: number | null;
  /** Results of the code that was evaluated. */
  evaluations: Evaluation[];
}

const ROUTE_OF: Partial<Record<EventType, TraceRoute>> = {
  retry: 'retry',
  remediation: 'remediation',
  call: 'call',
  goto: 'goto',
  loop_abort: 'loop_abort',
  supersede: 'superseded',
  failure: 'failure',
  completed: 'none',
  disable: 'none',
  evaluation_failure: 'evaluation_failure',
};

/** What led where, in order: the routes that were taken, the failures that nothing was done about, and what code said. */
export function routeTrace(events: readonly EventRecord[]): TraceEntry[] {
  return events
    .flatMap((event) => entryOf(event) ?? [])
    .filter(({ route, evaluations }) => route !== 'none' || evaluations.length > 0);
}

/** Whether any route was taken; failures alone are shown elsewhere. */
export function hasRoutes(trace: readonly TraceEntry[]): boolean {
  return trace.some(({ route }) => route !== 'failure' && route !== 'none');
}

/** `retry`, or `goto begin`. */
export function traceRouteText({ route, to }: TraceEntry): string {
  // What is run before a re-attempt has entries of its own.
  return route === 'retry' || to.length === 0 ? route : `${route} ${to.join(', ')}`;
}

function entryOf(event: EventRecord): TraceEntry | null {
  const route = ROUTE_OF[event.type];
  const taken = event.data.route as RouteTaken | undefined;
  if (route === undefined || event.job_id === null) return null;
  // Retries of `retry:` and of failure handlers are no routes.
  if (route === 'retry' && taken === undefined) return null;
  return {
    at_ms: event.at_ms,
    job_id: event.job_id,
    step: event.job_name ?? '',
    scope: event.scope ?? '',
    attempt_id: event.attempt_id,
    route,
    to: destination(event, taken),
    why: reasonOf(event),
    loop: taken?.loop ?? null,
    max_loops: taken?.max_loops ?? null,
    retry_available_at_ms: numberOf(event.data.retry_available_at_ms),
    evaluations: (event.data.evaluations as Evaluation[] | undefined) ?? [],
  };
}

function destination({ data }: EventRecord, taken: RouteTaken | undefined): string[] {
  if (typeof data.step === 'string') return [data.step];
  return taken?.target === undefined ? (taken?.run ?? []) : [taken.target];
}

/** The outcome and what was decided. */
export function reasonOf({ type, reason, data }: EventRecord): string {
  // Of what was not run there is no outcome.
  const outcome = typeof data.outcome === 'string' && type !== 'disable' ? data.outcome : null;
  return outcomeAndReason(outcome, reason);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
