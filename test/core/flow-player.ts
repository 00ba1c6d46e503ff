import { nextCall, serveWaitingCall } from '../../src/core/flow/calls.ts';
import { abortScope } from '../../src/core/flow/cancel.ts';
import { concludeJobs, followRoute } from '../../src/core/flow/conclude.ts';
import { countSet } from '../../src/core/flow/count-set.ts';
import { askFlow, type FlowDraft } from '../../src/core/flow/flow-draft.ts';
import type { FlowMoves } from '../../src/core/flow/flow-moves.ts';
import { emptyPart, type FlowJob, type FlowPart } from '../../src/core/flow/flow-part.ts';
import { goBack } from '../../src/core/flow/go-back.ts';
import { toCompletedByCalls } from '../../src/core/flow/job-moves.ts';
import {
  awaitsOvertaken,
  blocked,
  canceled,
  claimable,
  type FullState,
  isOvertaken,
  ready,
} from '../../src/core/job/full-state.ts';
import type { JobStatus } from '../../src/core/job/job-status.ts';
import { type RoutePolicy, routeFailure, routeSuccess } from '../../src/core/policy/take-route.ts';
import type { ReferenceEnd, ReferenceStep } from './reference-routing.ts';

const NOW = 1000;

const LIVE = { order: null, overtaken: false };

/** States of which a test says no more than the status. */
const PLAIN: Record<JobStatus, FullState> = {
  uninitialized: { status: 'uninitialized' },
  blocked: blocked({ for: 'dependencies' }),
  ready: claimable(),
  pending: { status: 'pending', ...LIVE },
  running: { status: 'running', ...LIVE },
  completed: { status: 'completed' },
  failed: { status: 'failed' },
  canceled: canceled(null),
  terminated: { status: 'terminated' },
  disabled: { status: 'disabled' },
  pending_failed: { status: 'pending_failed' },
};

/** A state, or the plain one of a status. */
type JobChanges = Partial<FlowJob> & { status?: JobStatus };

function flowJob(id: number, name: string, { status = 'blocked', ...rest }: JobChanges = {}): FlowJob {
  return {
    id,
    name,
    scope: '',
    state: PLAIN[status],
    visit: 1,
    attempt_id: 0,
    dependency_set_id: null,
    scheduling_timeout: null,
    cancel_on_failure: true,
    continue_on_failure: false,
    fail_fast: null,
    on_call: false,
    is_blueprint: false,
    has_items: false,
    settled: null,
    serves: null,
    reason: null,
    ...rest,
  };
}

/** A whole graph: ids count from 1 in the order of the steps, and each with dependencies has a set of its own. */
export function graphOf(
  steps: readonly { name: string; after: readonly string[]; onCall?: boolean }[],
  changes: Record<string, JobChanges> = {},
): FlowPart {
  const part = emptyPart();
  part.overtaken = [];
  const idOf = new Map(steps.map(({ name }, index) => [name, index + 1]));
  for (const { name, after, onCall = false } of steps) {
    const id = idOf.get(name)!;
    const job = flowJob(id, name, {
      dependency_set_id: after.length === 0 ? null : id,
      status: onCall ? 'disabled' : after.length === 0 ? 'ready' : 'blocked',
      on_call: onCall,
      settled: onCall ? 'disabled' : null,
      ...changes[name],
    });
    part.jobs.set(id, job);
    part.memberships.set(id, part.memberships.get(id) ?? []);
    if (after.length === 0) continue;
    for (const needed of after) {
      const member = idOf.get(needed)!;
      const links = part.memberships.get(member) ?? [];
      part.memberships.set(member, [...links, { set_id: id, job_id: member, kind: 0 }]);
    }
    part.dependents.add(id);
  }
  countAll(part);
  return part;
}

/** Tallies and counters, from how the jobs are settled. */
function countAll(part: FlowPart): void {
  part.tallies.clear();
  for (const [id, links] of part.memberships) {
    for (const { set_id, kind } of links) {
      const tally = part.tallies.get(set_id) ?? [];
      part.tallies.set(set_id, [...tally, { kind, settled: part.jobs.get(id)!.settled, count: 1 }]);
    }
  }
  for (const [id, tally] of part.tallies) {
    part.sets.set(id, { id, ...countSet(tally) });
    const members = [...part.jobs.values()].filter(
      (job) => job.settled === 'failed' && part.memberships.get(job.id)!.some(({ set_id }) => set_id === id),
    );
    part.failedMembers.set(id, members);
  }
}

/** What the question leads to in the graph; everything has been loaded. */
export function movesOf<T>(
  part: FlowPart,
  question: (draft: FlowDraft) => T,
): { moves: FlowMoves; result: T } {
  const answer = askFlow(part, NOW, question);
  if ('need' in answer) throw new Error(`not loaded: ${JSON.stringify(answer.need)}`);
  return answer;
}

/** Plays steps with static routes on nothing but the flow: one at a time, without a database. */
export class FlowPlayer {
  readonly part: FlowPart;
  readonly #steps: readonly ReferenceStep[];
  readonly #maxLoops: number;
  readonly #executions: string[] = [];
  readonly #reattempts = new Map<number, { visit: number; count: number }>();
  #loops = 0;
  #tokens = 0;

  constructor(steps: readonly ReferenceStep[], maxLoops: number) {
    this.#steps = steps;
    this.#maxLoops = maxLoops;
    this.part = graphOf(steps);
  }

  play(): ReferenceEnd {
    for (let job = this.#claim(); job !== undefined; job = this.#claim()) this.#execute(job);
    const ends = [...this.part.jobs.values()].map(({ name, state }) => [name, state.status]);
    return { executions: this.#executions, ends: Object.fromEntries(ends) as ReferenceEnd['ends'] };
  }

  #claim(): FlowJob | undefined {
    return [...this.part.jobs.values()].find(
      ({ state }) => state.status === 'ready' && state.waiting.for === 'worker',
    );
  }

  #execute(claimed: FlowJob): void {
    const step = this.#steps[claimed.id - 1]!;
    this.#executions.push(claimed.name);
    const count = this.#executions.filter((name) => name === claimed.name).length;
    const succeeds = step.outcomes[count - 1] ?? true;
    const answer = succeeds
      ? routeSuccess(this.#policy(claimed), {}, this.#loops, false)
      : routeFailure(
          this.#policy(claimed),
          {},
          { reattempts: this.#reattemptsOf(claimed), loops: this.#loops },
          null,
        );
    switch (answer.kind) {
      case 'retry': {
        this.#loops += 1;
        this.#reattempts.set(claimed.id, {
          visit: claimed.visit,
          count: this.#reattemptsOf(claimed) + 1,
        });
        if (answer.run.length > 0) this.#call(claimed, 'on_fail', answer.run);
        return;
      }
      case 'call':
        this.#call(claimed, 'on_success', answer.run);
        return;
      case 'goto':
        this.#jump(claimed, answer.target);
        return;
      case 'loop_abort':
        this.#abort(claimed);
        return;
      default:
        this.#put(claimed, { status: succeeds ? 'completed' : 'failed' });
        this.#conclude([claimed.id]);
    }
  }

  #policy({ id, serves }: FlowJob): RoutePolicy {
    const { onFail, onSuccess } = this.#steps[id - 1]!;
    const code = { run_js: null, goto_js: null };
    return {
      onFail: onFail && {
        ...onFail,
        ...code,
        reattempt: { max: onFail.max, mode: 'fixed', delay_ms: 0 },
      },
      onSuccess: onSuccess && { ...onSuccess, ...code },
      maxLoops: this.#maxLoops,
      called: serves !== null,
    };
  }

  #reattemptsOf({ id, visit }: FlowJob): number {
    const known = this.#reattempts.get(id);
    return known?.visit === visit ? known.count : 0;
  }

  #call(job: FlowJob, kind: 'on_fail' | 'on_success', names: readonly string[]): void {
    this.#tokens += 1;
    const token = this.#tokens;
    this.#put(
      job,
      kind === 'on_fail' ? ready({ for: 'route', token, until: NOW }) : blocked({ for: 'route', token }),
    );
    this.part.routes.set(token, { token, job_id: job.id, kind, not_before: null, state: 'calling' });
    for (const [index, name] of names.entries()) {
      const id = this.part.calls.size + 1;
      const callee = this.#steps.findIndex((step) => step.name === name) + 1;
      this.part.calls.set(id, {
        id,
        route_token: token,
        job_id: callee,
        position: index + 1,
        state: 'queued',
      });
    }
    const ended = this.#ask((draft) => {
      const route = nextCall(draft, token);
      return route === null ? [] : followRoute(draft, route);
    });
    if (ended === 'policy') this.#conclude(this.#afterCalls(token));
    else this.#conclude(ended);
  }

  #conclude(ids: readonly number[]): void {
    let left = [...ids];
    while (left.length > 0) {
      const pause = this.#ask((draft) => concludeJobs(draft, left));
      if (pause === null) return;
      if (pause.kind === 'expand') throw new Error('there are no items');
      left = [...pause.left, ...this.#afterCalls(pause.token)];
      this.#ask((draft) => serveWaitingCall(draft, pause.served));
    }
  }

  #afterCalls(token: number): number[] {
    const job = this.part.jobs.get(this.part.routes.get(token)!.job_id)!;
    const answer = routeSuccess(this.#policy(job), {}, this.#loops, true);
    this.part.routes.get(token)!.state = 'ended';
    if (answer.kind === 'goto') {
      this.#jump(job, answer.target);
      return [];
    }
    if (answer.kind === 'loop_abort') {
      this.#abort(job);
      return [];
    }
    this.#ask((draft) => toCompletedByCalls(draft.job(job.id), 'done'));
    return [job.id];
  }

  #jump(job: FlowJob, name: string): void {
    this.#loops += 1;
    this.#put(job, blocked({ for: 'dependencies' }));
    const target = this.#steps.findIndex((step) => step.name === name) + 1;
    const ids = this.#steps.flatMap((step, index) =>
      !step.onCall && this.#comesAfter(step, name) ? [index + 1] : [],
    );
    this.#ask((draft) => goBack(draft, job, target, ids));
  }

  #comesAfter(step: ReferenceStep, name: string): boolean {
    if (step.name === name) return true;
    return this.#steps.some((other) => step.after.includes(other.name) && this.#comesAfter(other, name));
  }

  #abort(job: FlowJob): void {
    this.#put(job, { status: 'failed' });
    const isOpen = ({ state }: FlowJob) => state.status === 'ready' || state.status === 'blocked';
    const open = [...this.part.jobs.values()].filter(isOpen).map(({ id }) => id);
    const pause = this.#ask((draft) => concludeJobs(draft, [job.id, ...abortScope(draft, job.id, open)]));
    if (pause !== null) throw new Error('what was given up leads nowhere');
  }

  #put(job: FlowJob, state: FullState): void {
    this.part.jobs.set(job.id, { ...job, state });
  }

  /** Asks, and does what the moves say. */
  #ask<T>(question: (draft: FlowDraft) => T): T {
    const { moves, result } = movesOf(this.part, question);
    for (const { after } of moves.jobs) this.part.jobs.set(after.id, after);
    for (const { id, state } of moves.calls) this.part.calls.get(id)!.state = state;
    for (const { token, state } of moves.routes) this.part.routes.get(token)!.state = state;
    const counted = new Map(this.part.sets);
    for (const set of moves.sets) counted.set(set.id, set);
    countAll(this.part);
    for (const [id, set] of this.part.sets) {
      const reported = counted.get(id)!;
      if (JSON.stringify(reported) !== JSON.stringify(set)) {
        throw new Error(
          `set ${id} is ${JSON.stringify(reported)}, and its members say ${JSON.stringify(set)}`,
        );
      }
    }
    const waiting = [...this.part.jobs.values()].filter(
      ({ state }) => isOvertaken(state) || awaitsOvertaken(state),
    );
    this.part.overtaken = waiting.map(({ id }) => id);
    return result;
  }
}
