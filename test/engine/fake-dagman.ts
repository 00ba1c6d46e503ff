import type {
  RunAttempt,
  RunDriver,
  RunEngine,
  RunFiles,
  RunOrder,
  RunRef,
  RunUnit,
  RunView,
} from '../../src/contract/run-engine.ts';
import { nodeNames } from '../../src/core/dag/node-names.ts';
import { roundNode } from '../../src/core/dag/round-nodes.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import type { PostAction, PostRecord } from '../../src/core/request/post-record.ts';

/** How the attempts of a node end in a run, in order; the default is one success. */
export interface NodeEnds {
  actions: PostAction[];
  site?: string;
  category?: PostRecord['classification']['category'];
}

export type PlayNode = (node: { unit: number; node: string; run: number }) => NodeEnds | 'not run';

const END: NodeEnds = { actions: ['success'] };

interface FakeRun {
  id: string;
  order: RunOrder;
  tag: string;
  state: 'running' | 'ended';
  how: NonNullable<RunView['ended']>['how'];
  exitCode: number | null;
}

/** A queue with DAGMans that end when the test says so. Directories are only names, and keep what is done in them. */
export class FakeDagman implements RunEngine {
  readonly name = 'htcondor';
  readonly prepared: RunOrder[] = [];
  readonly runs: FakeRun[] = [];
  play: PlayNode = () => END;
  /** Nobody answers. */
  isAbsent = false;
  refusal: string | null = null;
  /** The next submission arrives, and its answer does not. */
  losesAnswer: 'absent' | 'death' | null = null;
  /** Units whose records are lost. */
  readonly withoutRecords = new Set<number>();
  /** What is played has ended, although the DAGMan is in the queue. */
  readsWhileRunning = false;
  /** Ids of those that start nothing new. */
  readonly halted = new Set<string>();
  readonly #done = new Map<string, Set<string>>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  driver(server = 'server-1'): RunDriver {
    return { engine: this, server, only: null };
  }

  async prepare(order: RunOrder): Promise<void> {
    this.prepared.push(order);
  }

  async submit({ directory, tag }: RunFiles): Promise<string> {
    this.#answer('condor_submit_dag');
    if (this.refusal !== null) {
      throw new HoldfastError('CLUSTER_REFUSED', { command: 'condor_submit_dag', problem: this.refusal });
    }
    const order = this.prepared.findLast((each) => each.directory === directory)!;
    const id = String(100 + this.runs.length);
    this.runs.push({ id, order, tag, state: 'running', how: 'done', exitCode: 0 });
    const lost = this.losesAnswer;
    this.losesAnswer = null;
    if (lost === 'absent') throw absent('condor_submit_dag');
    if (lost === 'death') throw new Error('the process died');
    return id;
  }

  async find({ tag }: RunFiles): Promise<string | null> {
    this.#answer('condor_q');
    return this.runs.findLast((each) => each.tag === tag)?.id ?? null;
  }

  async look(refs: readonly RunRef[]): Promise<Map<RunRef, RunView>> {
    return new Map(refs.map((ref) => [ref, this.#view(ref)]));
  }

  async halt({ id }: RunRef): Promise<void> {
    this.halted.add(id);
  }

  async continue({ id }: RunRef): Promise<void> {
    this.halted.delete(id);
  }

  async stop({ id }: RunRef): Promise<void> {
    this.#answer('condor_rm');
    const run = this.runs.find((each) => each.id === id)!;
    if (run.state === 'running') this.end('removed', 2);
  }

  /** The newest run ends. */
  end(how: FakeRun['how'] = 'failures', exitCode: number | null = how === 'done' ? 0 : 1): void {
    Object.assign(this.runs.at(-1)!, { state: 'ended', how, exitCode });
  }

  #view({ id, run, directory }: RunRef): RunView {
    const nothing = { why: null, ended: null, units: [], attempts: [] };
    if (this.isAbsent) return { ...nothing, state: 'unknown', why: 'nobody answers' };
    const found = this.runs.find((each) => each.id === id)!;
    if (found.state === 'running' && !this.readsWhileRunning) return { ...nothing, state: 'running' };
    const { units, attempts } = this.#read(found.order, directory, run);
    if (found.state === 'running') return { ...nothing, state: 'running', attempts };
    return {
      ...nothing,
      state: 'ended',
      ended: { how: found.how, exitCode: found.exitCode },
      units,
      attempts,
    };
  }

  #read(order: RunOrder, directory: string, run: number): { units: RunUnit[]; attempts: RunAttempt[] } {
    const done = this.#done.get(directory) ?? new Set();
    const attempts: RunAttempt[] = [];
    const units = new Map<string, RunUnit>();
    const nodes = nodeNames(order.model.jobs.map(({ name }) => name));
    for (const index of order.jobs) {
      const { name } = order.model.jobs[index]!;
      const { unit, node } = roundNode(name) ?? { unit: nodes[index]!, node: nodes[index]! };
      const state = units.get(unit) ?? { name: unit, state: 'done', noEvidence: false };
      units.set(unit, state);
      // A node that was done in an earlier run is not run again.
      if (done.has(name) && !done.has(`${name} in ${run}`)) continue;
      const number = Number(unit.slice(1)) || index + 1;
      const ends = state.state === 'done' ? this.play({ unit: number, node, run }) : 'not run';
      if (ends === 'not run') {
        if (state.state === 'done') state.state = 'not run';
        continue;
      }
      const last = ends.actions.at(-1)!;
      const isDone = last === 'success' || last === 'absorbed';
      if (isDone) done.add(name).add(`${name} in ${run}`);
      else state.state = 'failed';
      if (this.withoutRecords.has(number)) {
        state.noEvidence = state.state === 'failed';
        continue;
      }
      attempts.push(
        ...ends.actions.map((action, index) => ({
          unit,
          record: this.#record(node, run, index + 1, action, ends),
        })),
      );
    }
    this.#done.set(directory, done);
    return { units: [...units.values()], attempts };
  }

  #record(node: string, run: number, attempt: number, action: PostAction, ends: NodeEnds): PostRecord {
    const isSuccess = action === 'success';
    return {
      node_name: node,
      timestamp: new Date(this.#clock()).toISOString(),
      run,
      attempt,
      max_retries: 0,
      final: action !== 'retry',
      job: {
        exit_code: isSuccess ? 0 : 7,
        exit_signal: null,
        hold_reason: null,
        wall_time_sec: 1,
        cpu_time_sec: 0.5,
        memory_mb: 10,
        site: ends.site ?? 'north',
        schedd: 'here',
      },
      report: null,
      cmssw: null,
      classification: {
        category: isSuccess ? null : (ends.category ?? 'transient'),
        retryable: action === 'retry',
        bad_input_files: [],
        action,
        rule: null,
        reason: isSuccess ? 'exit 0' : 'exit 7',
      },
      problems: [],
      log_tail: isSuccess ? '' : 'it broke',
    };
  }

  #answer(command: string): void {
    if (this.isAbsent) throw absent(command);
  }
}

function absent(command: string): HoldfastError {
  return new HoldfastError('CLUSTER_ABSENT', { command, problem: 'timed out' });
}
