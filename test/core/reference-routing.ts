/** A step of the root scope with static routes, and how its executions end. */
export interface ReferenceStep {
  name: string;
  after: string[];
  onCall: boolean;
  onFail: { max: number; run: string[]; goto: string | null } | null;
  onSuccess: { run: string[]; goto: string | null } | null;
  /** true: success. Executions beyond the list succeed. */
  outcomes: boolean[];
}

export type ReferenceStatus = 'blocked' | 'ready' | 'completed' | 'failed' | 'canceled' | 'disabled';

export interface ReferenceEnd {
  executions: string[];
  ends: Record<string, ReferenceStatus>;
}

interface State extends ReferenceStep {
  status: ReferenceStatus;
  /** How its planned execution ended, which is what dependents look at; null before. */
  settled: 'well' | 'badly' | null;
  reattempts: number;
  executions: number;
  /** The steps it has others run: before a re-attempt, or after a success. */
  calling: { why: 'failure' | 'success'; left: string[]; began: number } | null;
  /** Runs because of another step, and is afterwards what it was. */
  serves: { caller: State; resume: ReferenceStatus } | null;
  /** Callers that wait for it. */
  queue: State[];
}

/** What routing means where one step runs at a time: the first of those that are ready, in written order. */
export function referenceRouting(steps: readonly ReferenceStep[], maxLoops: number): ReferenceEnd {
  return new ReferenceRun(steps, maxLoops).play();
}

class ReferenceRun {
  readonly #states: State[];
  readonly #maxLoops: number;
  readonly #trace: string[] = [];
  readonly #ended: State[] = [];
  #loops = 0;
  #routes = 0;

  constructor(steps: readonly ReferenceStep[], maxLoops: number) {
    this.#maxLoops = maxLoops;
    this.#states = steps.map((step) => ({
      ...step,
      status: step.onCall ? 'disabled' : 'blocked',
      settled: null,
      reattempts: 0,
      executions: 0,
      calling: null,
      serves: null,
      queue: [],
    }));
  }

  play(): ReferenceEnd {
    for (const state of this.#states) this.#resolve(state);
    for (let next = this.#claim(); next !== undefined; next = this.#claim()) this.#execute(next);
    const ends = this.#states.map(({ name, status }) => [name, status] as const);
    return { executions: this.#trace, ends: Object.fromEntries(ends) };
  }

  #claim(): State | undefined {
    return this.#states.find(({ status, calling }) => status === 'ready' && calling === null);
  }

  #execute(state: State): void {
    this.#trace.push(state.name);
    state.executions += 1;
    if (state.outcomes[state.executions - 1] ?? true) this.#succeed(state);
    else this.#fail(state);
    this.#conclude();
  }

  #succeed(state: State): void {
    if (state.onSuccess === null || state.onSuccess.run.length === 0) this.#finishSuccess(state);
    else this.#call(state, 'success', state.onSuccess.run);
  }

  /** What it had run has ended well. */
  #finishSuccess(state: State): void {
    const target = state.serves === null ? (state.onSuccess?.goto ?? null) : null;
    if (target === null) this.#end(state, 'completed');
    else if (this.#mayLoop(state)) this.#goBack(this.#find(target));
  }

  #fail(state: State): void {
    const routes = state.onFail;
    const run = routes?.run ?? [];
    const max = routes === null ? 0 : routes.max > 0 ? routes.max : Math.min(run.length, 1);
    const target = state.serves === null ? (routes?.goto ?? null) : null;
    if (state.reattempts < max) {
      if (!this.#mayLoop(state)) return;
      state.reattempts += 1;
      this.#call(state, 'failure', run);
    } else if (target === null) this.#end(state, 'failed');
    else if (this.#mayLoop(state)) this.#goBack(this.#find(target));
  }

  /** Counts a re-attempt or a jump; the one too many fails the step, and nothing else starts. */
  #mayLoop(state: State): boolean {
    this.#loops += 1;
    if (this.#loops <= this.#maxLoops) return true;
    for (const other of this.#states) {
      if (other.status === 'ready' || other.status === 'blocked') other.status = 'canceled';
      other.queue = [];
    }
    state.status = 'failed';
    return false;
  }

  #call(state: State, why: 'failure' | 'success', run: readonly string[]): void {
    state.status = why === 'failure' ? 'ready' : 'blocked';
    this.#routes += 1;
    state.calling = { why, left: [...run], began: this.#routes };
    this.#callNext(state);
  }

  #callNext(caller: State): void {
    const [name] = caller.calling!.left;
    if (name === undefined) {
      const { why } = caller.calling!;
      caller.calling = null;
      if (why === 'success') this.#finishSuccess(caller);
      return;
    }
    const callee = this.#find(name);
    if (!isBusy(callee)) this.#serve(callee, caller);
    else if (this.#waitsFor(callee, caller)) this.#giveUpCalling(caller);
    else callee.queue.push(caller);
  }

  #giveUpCalling(caller: State): void {
    const { why } = caller.calling!;
    caller.calling = null;
    this.#end(caller, why === 'success' ? 'completed' : 'failed');
  }

  #serve(callee: State, caller: State): void {
    callee.serves = { caller, resume: callee.status };
    callee.status = 'ready';
    callee.reattempts = 0;
  }

  #waitsFor(state: State | undefined, caller: State): boolean {
    if (state === undefined || state === caller) return state !== undefined;
    const name = state.calling?.left[0];
    return name !== undefined && this.#waitsFor(this.#find(name), caller);
  }

  #end(state: State, how: 'completed' | 'failed'): void {
    state.status = how;
    this.#ended.push(state);
  }

  /** Notifies those that wait for the steps that have ended, and follows what comes of that. */
  #conclude(): void {
    for (let state = this.#ended.shift(); state !== undefined; state = this.#ended.shift()) {
      const well = state.status === 'completed';
      if (state.serves === null) this.#settle(state, well ? 'well' : 'badly');
      else {
        const { caller, resume } = state.serves;
        this.#leaveCall(state, resume === 'blocked' || (!state.onCall && well) ? resume : state.status);
        if (!well) this.#giveUpCalling(caller);
        else {
          caller.calling!.left.shift();
          this.#callNext(caller);
        }
      }
      this.#serveQueue(state);
    }
  }

  #leaveCall(state: State, status: ReferenceStatus): void {
    state.serves = null;
    state.status = status;
    state.reattempts = 0;
    this.#resolve(state);
  }

  /** The route that began first comes first, also where it came to this step later than another. */
  #serveQueue(state: State): void {
    if (isBusy(state)) return;
    state.queue.sort((a, b) => a.calling!.began - b.calling!.began);
    const first = state.queue.shift();
    if (first !== undefined) this.#serve(state, first);
  }

  #settle(state: State, how: 'well' | 'badly'): void {
    state.settled = how;
    for (const other of this.#states) if (other.after.includes(state.name)) this.#resolve(other);
  }

  /** A planned step that waits for its turn: it may have come, or been spoilt. */
  #resolve(state: State): void {
    if (state.onCall || state.status !== 'blocked' || state.calling !== null) return;
    const needed = state.after.map((name) => this.#find(name).settled);
    if (needed.includes('badly')) {
      state.status = 'canceled';
      this.#settle(state, 'badly');
    } else if (needed.every((settled) => settled === 'well')) state.status = 'ready';
  }

  #goBack(target: State): void {
    const again = this.#states.filter((state) => !state.onCall && this.#comesAfter(state, target));
    const dropping = again.filter((state) => !this.#servesOthers(state, again));
    for (const state of dropping) this.#dropCalls(state);
    for (const state of again) {
      state.settled = null;
      // One that was dropped may serve the next in its queue by now.
      if (state.serves !== null) state.serves.resume = 'blocked';
      else {
        state.status = 'blocked';
        state.reattempts = 0;
      }
    }
    for (const state of again) this.#resolve(state);
    for (const state of again) this.#serveQueue(state);
  }

  /** Whether the first of those because of whom it runs is a step that does not run again. */
  #servesOthers(state: State, again: readonly State[]): boolean {
    if (state.serves === null) return false;
    const { caller } = state.serves;
    return caller.serves === null ? !again.includes(caller) : this.#servesOthers(caller, again);
  }

  #comesAfter(state: State, target: State): boolean {
    return state === target || state.after.some((name) => this.#comesAfter(this.#find(name), target));
  }

  #dropCalls(caller: State): void {
    const name = caller.calling?.left[0];
    caller.calling = null;
    if (name === undefined) return;
    const callee = this.#find(name);
    if (callee.serves?.caller !== caller) {
      callee.queue = callee.queue.filter((other) => other !== caller);
      return;
    }
    this.#dropCalls(callee);
    this.#leaveCall(callee, callee.serves.resume);
    this.#serveQueue(callee);
  }

  #find(name: string): State {
    return this.#states.find((state) => state.name === name)!;
  }
}

function isBusy({ status, calling, serves }: State): boolean {
  return status === 'ready' || calling !== null || serves !== null;
}
