import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('fake-slurm.mjs', import.meta.url));
const COMMANDS = ['sbatch', 'squeue', 'scontrol', 'scancel', 'sinfo', 'sacct', 'srun'] as const;
type FakeCommand = (typeof COMMANDS)[number];

const NO_CONTROLLER = 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n';

/** What a command answers instead of what it should. */
export type OddAnswer =
  | { kind: 'slow'; ms: number }
  | { kind: 'garbage'; text: string }
  | { kind: 'refused'; text: string; exitCode?: number }
  /** `sbatch` has submitted the job and dies before it prints the id. */
  | { kind: 'lost' }
  /** As if the controller were down. Jobs run all the same. */
  | { kind: 'absent' };

export interface FakeSettings {
  name: string;
  partitions: string[];
  nodes: number;
  /** Of one node. */
  cpus: number;
  /** Between SIGTERM and SIGKILL; may be changed meanwhile. */
  killWaitMs: number;
  /** How long a requeued job waits. */
  requeueMs: number;
  /** Why no job starts; null: each starts at once. */
  pending: { reason: string; startsAt: number | null } | null;
  accounting: boolean;
  odd: Partial<Record<FakeCommand | 'all', OddAnswer>>;
}

const DEFAULTS: FakeSettings = {
  name: 'fake',
  partitions: ['low', 'high'],
  nodes: 2,
  cpus: 4,
  killWaitMs: 5000,
  requeueMs: 100,
  pending: null,
  accounting: false,
  odd: {},
};

export interface FakeJob {
  id: number;
  name: string;
  comment: string;
  /** As squeue has it: PENDING, RUNNING, COMPLETING, or how it ended. */
  word: string;
  reason: string;
  restarts: number;
}

/**
 * Slurm's commands on a PATH of their own. Scripts really run, one process for each, and are signaled as Slurm does.
 * Needs /proc. Ends when its directory is removed.
 */
export class FakeSlurm {
  readonly #state: string;
  #settings: FakeSettings;

  constructor(settings: Partial<FakeSettings> = {}) {
    this.#state = mkdtempSync(join(tmpdir(), 'fake-slurm-'));
    this.#settings = { ...DEFAULTS, ...settings };
    for (const folder of ['jobs', 'forgotten', 'bin']) mkdirSync(join(this.#state, folder));
    this.set({});
    for (const command of COMMANDS) this.#write(command);
  }

  /** The environment of this process, in which these commands are found. */
  get env(): Record<string, string> {
    const { PATH, ...others } = process.env as Record<string, string>;
    return { ...others, PATH: `${join(this.#state, 'bin')}${delimiter}${PATH}` };
  }

  set(settings: Partial<FakeSettings>): void {
    this.#settings = { ...this.#settings, ...settings };
    const file = join(this.#state, 'settings.json');
    writeFileSync(`${file}.new`, JSON.stringify(this.#settings));
    renameSync(`${file}.new`, file);
  }

  /** Answers of one command, or of all, from now on; null: as usual. */
  answer(command: FakeCommand | 'all', odd: OddAnswer | null): void {
    const { [command]: _, ...others } = this.#settings.odd;
    this.set({ odd: odd === null ? others : { ...others, [command]: odd } });
    for (const one of command === 'all' ? COMMANDS : [command]) this.#write(one);
  }

  /** Every call so far, with its arguments; without those that a fixed text answered. */
  calls(command: FakeCommand): string[][] {
    const file = join(this.#state, 'calls');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as string[])
      .filter(([name]) => name === command)
      .map(([, ...args]) => args);
  }

  job(id: string): FakeJob {
    return JSON.parse(readFileSync(join(this.#state, 'jobs', id, 'job.json'), 'utf8')) as FakeJob;
  }

  requeue(id: string): void {
    this.#order(id, 'requeue');
  }

  /** For a job of more importance: requeued, or ended with --no-requeue. */
  preempt(id: string): void {
    this.#order(id, 'preempt');
  }

  /** Its processes are gone without a signal that they could see. */
  failNode(id: string): void {
    this.#order(id, 'fail-node');
  }

  /** As the controller does some minutes after the end of a job; accounting knows it, if there is any. */
  forget(id: string): void {
    renameSync(join(this.#state, 'jobs', id), join(this.#state, 'forgotten', id));
  }

  /** All jobs are killed, and nothing is left. */
  down(): void {
    rmSync(this.#state, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Fixed answers are files: a table of them takes no time. */
  #write(command: FakeCommand): void {
    const odd = this.#settings.odd[command] ?? (command === 'srun' ? undefined : this.#settings.odd.all);
    const file = join(this.#state, 'bin', command);
    let text = `exec '${process.execPath}' '${PROGRAM}' '${this.#state}' ${command} "$@"`;
    if (odd?.kind === 'garbage' || odd?.kind === 'refused' || odd?.kind === 'absent') {
      const isError = odd.kind !== 'garbage';
      writeFileSync(`${file}.answer`, odd.kind === 'absent' ? NO_CONTROLLER : odd.text);
      const exitCode = odd.kind === 'refused' ? (odd.exitCode ?? 1) : isError ? 1 : 0;
      text = `cat '${file}.answer'${isError ? ' >&2' : ''}\nexit ${exitCode}`;
    }
    writeFileSync(`${file}.new`, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    renameSync(`${file}.new`, file);
  }

  #order(id: string, name: string): void {
    writeFileSync(join(this.#state, 'jobs', id, name), '');
  }
}
