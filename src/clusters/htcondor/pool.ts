import type { RunFiles } from '../../contract/run-engine.ts';
import { type ClusterAnswer, runClusterCommand } from '../run-cluster-command.ts';
import { classAdString } from './export/submit-words.ts';
import { saidBy, saysNoSchedd, scheddAbsent, scheddRefused } from './pool-messages.ts';

const LIMIT_MS = 30_000;
/** How many ids one question has. */
const CHUNK = 500;

export interface PoolSettings {
  /** Of this process unless given, without settings and secrets of Holdfast. */
  env?: Readonly<Record<string, string | undefined>>;
  /** How long each command may take (default: 30 s). */
  limitMs?: number;
}

/** A DAGMan in the queue. */
export interface QueuedDag {
  id: string;
  state: 'queued' | 'running' | 'held';
  /** Why it is held; null if it is not. */
  why: string | null;
}

/** A DAGMan that has left the queue. `removed`: by `condor_rm`. */
export interface EndedDag {
  id: string;
  removed: boolean;
  exitCode: number | null;
  dagStatus: number | null;
}

/**
 * HTCondor through its commands. Each has a time limit; none is tried again here, and no shell reads their arguments.
 * Where the schedd does not answer, they reject with CLUSTER_ABSENT: nothing is known then.
 */
export class HTCondorPool {
  readonly #env: Record<string, string>;
  readonly #limitMs: number;

  constructor({ env = process.env, limitMs = LIMIT_MS }: PoolSettings = {}) {
    this.#env = Object.fromEntries(
      Object.entries(env).filter(
        (entry): entry is [string, string] =>
          entry[1] !== undefined && !/^(?:HOLDFAST_|DATABASE_URL$)/.test(entry[0]),
      ),
    );
    this.#limitMs = limitMs;
  }

  /**
   * Submits a DAG, or again: DAGMan continues from its newest rescue file. Never with `-force`, which would throw what is
   * done away. HTCondor takes a DAG that is in the queue already a second time, and both fail then; so the queue is asked
   * first, and one with the same tag is taken for this submission. With CLUSTER_ABSENT it may have been submitted all the
   * same: another call finds it.
   */
  async submitDag({ directory, dag, tag }: RunFiles): Promise<string> {
    const place = `${directory}/${dag}`;
    const known = await this.#queued(place);
    const own = known.find((each) => each.tag === tag);
    if (own !== undefined) return own.id;
    if (known.length > 0) {
      throw scheddRefused('condor_submit_dag', `${place} is in the queue already, as ${known[0]!.id}`);
    }
    const answer = await this.#run(
      'condor_submit_dag',
      [
        ...['-append', `+HoldfastTag = ${classAdString(tag)}`],
        ...['-append', `+HoldfastDag = ${classAdString(place)}`],
        dag,
      ],
      directory,
    );
    const said = `${answer.stderr}\n${answer.stdout}`;
    if (answer.exitCode === null || saysNoSchedd(said)) throw scheddAbsent('condor_submit_dag', answer);
    const [, id] = /submitted to cluster (\d+)/.exec(answer.stdout) ?? [];
    if (answer.exitCode === 0 && id !== undefined) return id;
    if (answer.exitCode === 0)
      throw scheddAbsent('condor_submit_dag', { ...answer, problem: 'an answer without a cluster' });
    throw scheddRefused('condor_submit_dag', saidBy(answer));
  }

  /** The DAGMan in the queue that was submitted with the tag; null: there is none. */
  async findDag({ directory, dag, tag }: RunFiles): Promise<string | null> {
    return (await this.#queued(`${directory}/${dag}`)).find((each) => each.tag === tag)?.id ?? null;
  }

  /** One question for all. Those that are not listed have left the queue, or were never in it. */
  async list(ids: readonly string[]): Promise<Map<string, QueuedDag>> {
    const found = new Map<string, QueuedDag>();
    for (const chunk of chunks(ids)) {
      const args = [...chunk, '-af', 'ClusterId', 'JobStatus', 'HoldReason'];
      for (const line of await this.#lines('condor_q', args)) {
        const [, id, status, why] = /^(\d+) (\d+) (.*)$/.exec(line) ?? [];
        if (id === undefined) throw scheddAbsent('condor_q', odd(line));
        const state = STATES[status!];
        if (state !== undefined)
          found.set(id, { id, state, why: state === 'held' && why !== 'undefined' ? why! : null });
      }
    }
    return found;
  }

  /** How DAGMans ended that the history still has. */
  async history(ids: readonly string[]): Promise<Map<string, EndedDag>> {
    const found = new Map<string, EndedDag>();
    for (const chunk of chunks(ids)) {
      const args = [
        ...chunk,
        '-limit',
        String(chunk.length),
        '-af',
        'ClusterId',
        'JobStatus',
        'ExitCode',
        'DAG_Status',
      ];
      for (const line of await this.#lines('condor_history', args)) {
        const [, id, status, code, dag] =
          /^(\d+) (\d+) (-?\d+|undefined) (-?\d+|undefined)$/.exec(line) ?? [];
        if (id === undefined) throw scheddAbsent('condor_history', odd(line));
        found.set(id, { id, removed: status === '3', exitCode: numberOf(code!), dagStatus: numberOf(dag!) });
      }
    }
    return found;
  }

  /** DAGMan writes a rescue file and ends what runs. Those that have left the queue are no error. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const chunk of chunks(ids)) {
      const answer = await this.#run('condor_rm', chunk);
      const said = `${answer.stderr}\n${answer.stdout}`;
      if (answer.exitCode === null || saysNoSchedd(said)) throw scheddAbsent('condor_rm', answer);
      if (answer.exitCode === 0 || /Couldn't find|no jobs in the queue|not found/i.test(said)) continue;
      throw scheddRefused('condor_rm', saidBy(answer));
    }
  }

  /** Of the commands here, such as `23.9.6`; the schedd is not asked. */
  async version(): Promise<string> {
    const [line = ''] = await this.#lines('condor_version', []);
    const [, version] = /\$CondorVersion: (\S+)/.exec(line) ?? [];
    if (version === undefined) throw scheddAbsent('condor_version', odd(line));
    return version;
  }

  /** CLUSTER_ABSENT if no schedd answers. */
  async ping(): Promise<void> {
    await this.#lines('condor_q', ['-limit', '1', '-af', 'ClusterId']);
  }

  async #queued(place: string): Promise<{ id: string; tag: string }[]> {
    const expression = `HoldfastDag == ${JSON.stringify(place)} && JobStatus != 4`;
    const lines = await this.#lines('condor_q', [
      '-constraint',
      expression,
      '-af',
      'ClusterId',
      'HoldfastTag',
    ]);
    return lines.map((line) => {
      const [, id, tag] = /^(\d+) (.*)$/.exec(line) ?? [];
      if (id === undefined) throw scheddAbsent('condor_q', odd(line));
      return { id, tag: tag! };
    });
  }

  async #lines(program: string, args: readonly string[]): Promise<string[]> {
    const answer = await this.#run(program, args);
    if (answer.exitCode !== 0 || saysNoSchedd(answer.stderr)) throw scheddAbsent(program, answer);
    return answer.stdout
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }

  #run(program: string, args: readonly string[], directory?: string): Promise<ClusterAnswer> {
    return runClusterCommand({
      command: [program, ...args],
      env: this.#env,
      limitMs: this.#limitMs,
      ...(directory !== undefined && { cwd: directory }),
    });
  }
}

/** By the number of the job's status. One that is being removed (3) still writes its rescue file; completed ones (4) leave. */
const STATES: Record<string, QueuedDag['state']> = {
  1: 'queued',
  2: 'running',
  3: 'running',
  5: 'held',
  6: 'running',
  7: 'running',
};

const numberOf = (text: string) => (text === 'undefined' ? null : Number(text));

const odd = (line: string): Pick<ClusterAnswer, 'problem' | 'stderr' | 'exitCode'> => ({
  problem: `an answer that cannot be read: ${line}`,
  stderr: '',
  exitCode: null,
});

function* chunks(all: readonly string[]): Generator<string[]> {
  for (let from = 0; from < all.length; from += CHUNK) yield all.slice(from, from + CHUNK);
}
