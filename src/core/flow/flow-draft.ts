import { awaitsDependencies, awaitsOvertaken, isCanceledBecause, isOvertaken } from '../job/full-state.ts';
import { countSet } from './count-set.ts';
import type { FlowEvent, FlowMoves } from './flow-moves.ts';
import {
  type CallState,
  type FlowCall,
  type FlowJob,
  type FlowMember,
  type FlowNeed,
  type FlowPart,
  type FlowRoute,
  type FlowSet,
  type FlowTally,
  MEMBER_JOINED,
  MEMBER_PLAIN,
  type RouteState,
  type Settled,
  sweepKey,
} from './flow-part.ts';
import { assertCallTransition, assertRouteTransition } from './flow-states.ts';

/** Either what follows, or what has to be loaded before that is known. */
export type FlowAnswer<T> = { moves: FlowMoves; result: T } | { need: FlowNeed };

/** Works out on a copy of the part what follows; the part stays as it was. */
export function askFlow<T>(part: FlowPart, now: number, question: (draft: FlowDraft) => T): FlowAnswer<T> {
  const draft = new FlowDraft(part, now);
  try {
    const result = question(draft);
    return { moves: draft.moves(), result };
  } catch (error) {
    if (error instanceof NotLoaded) return { need: error.need };
    throw error;
  }
}

class NotLoaded extends Error {
  readonly need: FlowNeed;

  constructor(need: FlowNeed) {
    super(`not loaded: ${JSON.stringify(need)}`);
    this.need = need;
  }
}

/** A part of the graph on which moves are worked out one after another. Rows are copied when they are first asked for. */
export class FlowDraft {
  readonly now: number;
  readonly #part: FlowPart;
  readonly #jobs = new Map<number, FlowJob>();
  readonly #sets = new Map<number, FlowSet>();
  readonly #tallies = new Map<number, FlowTally[]>();
  readonly #routes = new Map<number, FlowRoute>();
  readonly #calls = new Map<number, FlowCall>();
  readonly #releases = new Map<number, boolean>();
  readonly #blocks = new Set<number>();
  readonly #events: FlowEvent[] = [];
  #bySet: Map<number | null, FlowJob[]> | undefined;
  #byRoute: Map<number, FlowCall[]> | undefined;
  #byCallee: Map<number, FlowCall[]> | undefined;

  constructor(part: FlowPart, now: number) {
    this.#part = part;
    this.now = now;
  }

  job(id: number): FlowJob {
    return copyOf(this.#jobs, this.#part.jobs, id, { kind: 'jobs', ids: [id] });
  }

  set(id: number): FlowSet {
    return copyOf(this.#sets, this.#part.sets, id, null);
  }

  /** What the job waits for; null: nothing. */
  setOf({ dependency_set_id: id }: FlowJob): FlowSet | null {
    return id === null ? null : this.set(id);
  }

  memberships(jobId: number): readonly FlowMember[] {
    this.job(jobId);
    return this.#part.memberships.get(jobId) ?? [];
  }

  /** How the job's end is counted by its dependents; null while it is open. The sets are not counted by it. */
  setSettled(job: FlowJob, settled: Settled | null): void {
    if (job.settled === settled) return;
    for (const { set_id, kind } of this.memberships(job.id)) {
      if (!this.#part.tallies.has(set_id)) continue;
      const tally = this.#tally(set_id);
      addTo(tally, kind, job.settled, -1);
      addTo(tally, kind, settled, 1);
    }
    job.settled = settled;
  }

  /** The job has ended: how the sets stand that it is a member of. */
  countDown(job: FlowJob, as: Settled): FlowSet[] {
    const links = this.memberships(job.id);
    const inOrder = [
      ...links.filter(({ kind }) => kind === MEMBER_PLAIN),
      ...links.filter(({ kind }) => kind !== MEMBER_PLAIN),
    ];
    return inOrder.map(({ set_id, kind }) => {
      const set = this.set(set_id);
      if (kind !== MEMBER_PLAIN && kind !== MEMBER_JOINED) return this.recount(set_id);
      set.remaining -= 1;
      if (kind === MEMBER_PLAIN && as === 'failed') set.unsuccessful += 1;
      if (kind === MEMBER_PLAIN && as === 'disabled') set.disabled += 1;
      return set;
    });
  }

  /** Counts a set anew from how its members are settled. */
  recount(setId: number): FlowSet {
    return Object.assign(this.set(setId), countSet(this.#tally(setId)));
  }

  /** Names all of them, where they are needed together. */
  needTallies(setIds: readonly number[]): void {
    const sets = setIds.filter((id) => !this.#part.tallies.has(id));
    if (sets.length > 0) throw new NotLoaded({ kind: 'tallies', sets });
  }

  #tally(setId: number): FlowTally[] {
    const known = this.#tallies.get(setId);
    if (known !== undefined) return known;
    this.needTallies([setId]);
    const copy = this.#part.tallies.get(setId)!.map((row) => ({ ...row }));
    this.#tallies.set(setId, copy);
    return copy;
  }

  /** A member that did not succeed, of a set that has one. */
  failedMember(setId: number): { id: number; name: string } {
    const stored = this.#part.failedMembers.get(setId);
    if (stored === undefined) throw new NotLoaded({ kind: 'failed_members', set: setId });
    const failed = stored.filter(({ id }) => !this.#jobs.has(id));
    const changed = [...this.#jobs.values()].filter(({ id, settled }) => {
      const links = this.#part.memberships.get(id) ?? [];
      return (
        settled === 'failed' && links.some((link) => link.set_id === setId && link.kind !== MEMBER_JOINED)
      );
    });
    return [...failed, ...changed].reduce((a, b) => (b.id < a.id ? b : a));
  }

  /** Jobs that wait for the set, and for nothing else. */
  blockedBy(setId: number): FlowJob[] {
    if (!this.#part.dependents.has(setId)) throw new NotLoaded({ kind: 'dependents', sets: [setId] });
    return this.#loadedOf(setId).filter(({ state }) => awaitsDependencies(state));
  }

  /** Everything that was canceled because of others and lies below the jobs, directly or not. */
  canceledBelow(jobIds: readonly number[]): number[] {
    const jobs = jobIds.filter((id) => !this.#part.canceledBelow.has(id));
    if (jobs.length > 0) throw new NotLoaded({ kind: 'canceled_below', jobs });
    const below = new Set<number>();
    const passed = new Set<number>();
    const open = [...jobIds];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const { set_id } of this.memberships(id)) {
        if (passed.has(set_id)) continue;
        passed.add(set_id);
        for (const dependent of this.canceledBy(set_id)) {
          if (below.has(dependent.id)) continue;
          below.add(dependent.id);
          open.push(dependent.id);
        }
      }
    }
    return [...below];
  }

  /** Loaded jobs that were canceled because a member of the set did not succeed. */
  canceledBy(setId: number): FlowJob[] {
    return this.#loadedOf(setId).filter(({ state }) => isCanceledBecause(state));
  }

  /** The other jobs of a sweep with `fail_fast` that are open, failed, or were canceled because of another job. */
  restOfSweep({ id, scope }: FlowJob, sweep: string): FlowJob[] {
    const ids = this.#part.sweeps.get(sweepKey({ sweep, scope }));
    if (ids === undefined) throw new NotLoaded({ kind: 'sweep', sweep, scope });
    return ids.filter((other) => other !== id).map((other) => this.job(other));
  }

  #loadedOf(setId: number): FlowJob[] {
    this.#bySet ??= groupBy(this.#part.jobs.values(), ({ dependency_set_id }) => dependency_set_id);
    const jobs = this.#bySet.get(setId) ?? [];
    return jobs.sort((a, b) => a.id - b.id).map(({ id }) => this.job(id));
  }

  /** The set is met: those who wait for it become ready. Returns the loaded ones of them. */
  release(setId: number, afterFailure: boolean): FlowJob[] {
    this.#blocks.delete(setId);
    if (!this.#part.dependents.has(setId)) this.#releases.set(setId, afterFailure);
    return this.#loadedOf(setId).filter(
      (job) => awaitsDependencies(job.state) && !job.is_blueprint && !(afterFailure && job.cancel_on_failure),
    );
  }

  /** The set is not met any more: those that could be claimed wait for it again. */
  block(setId: number): void {
    this.#releases.delete(setId);
    this.#blocks.add(setId);
  }

  route(token: number): FlowRoute {
    return copyOf(this.#routes, this.#part.routes, token, { kind: 'routes', tokens: [token] });
  }

  /** The calls of a route, in their order. */
  callsOf(token: number): FlowCall[] {
    this.route(token);
    this.#byRoute ??= groupBy(this.#part.calls.values(), ({ route_token }) => route_token);
    const calls = this.#byRoute.get(token) ?? [];
    return calls.sort((a, b) => a.position - b.position).map(({ id }) => this.call(id));
  }

  call(id: number): FlowCall {
    return copyOf(this.#calls, this.#part.calls, id, { kind: 'calls', ids: [id] });
  }

  /** Of the calls that wait for the step to be free, the one whose route began first; they are loaded with it. */
  waitingCall(jobId: number): FlowCall | undefined {
    this.job(jobId);
    this.#byCallee ??= groupBy(this.#part.calls.values(), ({ job_id }) => job_id);
    const calls = this.#byCallee.get(jobId) ?? [];
    return calls
      .sort((a, b) => a.id - b.id)
      .map(({ id }) => this.call(id))
      .find(({ state }) => state === 'waiting');
  }

  setCallState(call: FlowCall, state: CallState): void {
    assertCallTransition(call.state, state);
    call.state = state;
  }

  setRouteState(route: FlowRoute, state: RouteState): void {
    assertRouteTransition(route.state, state);
    route.state = state;
  }

  /** Jobs that are overtaken, or wait for those, in the order of their ids. */
  overtaken(): FlowJob[] {
    if (this.#part.overtaken === null) throw new NotLoaded({ kind: 'overtaken' });
    const ids = new Set(this.#part.overtaken);
    for (const job of this.#jobs.values()) {
      if (isOvertaken(job.state) || awaitsOvertaken(job.state)) ids.add(job.id);
    }
    return [...ids].sort((a, b) => a - b).map((id) => this.job(id));
  }

  record(event: FlowEvent): void {
    this.#events.push(event);
  }

  moves(): FlowMoves {
    return {
      jobs: changesOf(this.#jobs, this.#part.jobs),
      sets: changesOf(this.#sets, this.#part.sets).map(({ after }) => after),
      releases: [...this.#releases].map(([set_id, after_failure]) => ({
        set_id,
        after_failure,
        loaded: this.#loadedOf(set_id).map(({ id }) => id),
      })),
      blocks: [...this.#blocks],
      calls: changesOf(this.#calls, this.#part.calls).map(({ before, after: { id, state } }) => ({
        id,
        from: before.state,
        state,
      })),
      routes: changesOf(this.#routes, this.#part.routes).map(({ before, after: { token, state } }) => ({
        token,
        from: before.state,
        state,
      })),
      events: this.#events,
    };
  }
}

function groupBy<T, K>(rows: Iterable<T>, keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

function addTo(tally: FlowTally[], kind: number, settled: Settled | null, count: number): void {
  const row = tally.find((each) => each.kind === kind && each.settled === settled);
  if (row === undefined) tally.push({ kind, settled, count });
  else row.count += count;
}

function copyOf<T extends object>(
  copies: Map<number, T>,
  loaded: ReadonlyMap<number, T>,
  key: number,
  need: FlowNeed | null,
): T {
  const known = copies.get(key);
  if (known !== undefined) return known;
  const row = loaded.get(key);
  if (row === undefined) {
    if (need === null) throw new Error(`set ${key} was not loaded with its jobs`);
    throw new NotLoaded(need);
  }
  const copy = { ...row };
  copies.set(key, copy);
  return copy;
}

function changesOf<T extends object>(
  copies: ReadonlyMap<number, T>,
  loaded: ReadonlyMap<number, T>,
): { before: T; after: T }[] {
  const changes: { before: T; after: T }[] = [];
  for (const [key, after] of copies) {
    const before = loaded.get(key)!;
    if ((Object.keys(after) as (keyof T)[]).some((name) => !isSame(after[name], before[name]))) {
      changes.push({ before, after });
    }
  }
  return changes;
}

/** Values of a row are plain; some have parts. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a) as (keyof typeof a)[];
  return keys.length === Object.keys(b).length && keys.every((key) => isSame(a[key], b[key]));
}
