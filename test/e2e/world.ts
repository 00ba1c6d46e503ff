import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import type {
  AttemptRecord,
  EventRecord,
  JobRecord,
  WorkflowStatus,
} from '../../src/contract/records/records.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { type ProcessInfo, readProcessTable } from '../../src/worker/launcher/kill/process-table.ts';
import { type CliResult, makeProject, type RunningCli, runCli, startCli, until } from '../cli/run-cli.ts';
import { stateOf } from '../cli/server-mode.ts';
import { kill } from '../kill-process.ts';

/** Every process that a world's commands start inherits this variable, however far it strays. */
const MARKER = 'HF_TEST_WORLD';
/** As many as a page can hold; no world here has more. */
const ALL = { limit: 1_000 };

/** A directory in which the built program is used, and the processes that come of it. */
export class World {
  readonly dir: string;
  readonly #key = randomUUID();

  constructor(files: Record<string, string | object>) {
    this.dir = makeProject(files);
  }

  /** For commands that are started in another way. */
  get env(): Record<string, string> {
    return { [MARKER]: this.#key };
  }

  /** The program in a process of its own, for what is killed or looked at while it runs. */
  start(...args: string[]): RunningCli {
    return this.startWith({}, ...args);
  }

  startWith(env: Record<string, string>, ...args: string[]): RunningCli {
    return startCli(args, { cwd: this.dir, env: { ...this.env, ...env } });
  }

  run(...args: string[]): Promise<CliResult> {
    return runCli(args, { cwd: this.dir, env: this.env });
  }

  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, '--output', 'json');
    if (code !== 0) throw new Error(`holdfast ${args.join(' ')} exited with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  status(id = 1): Promise<WorkflowStatus> {
    return this.#ask((engine) => engine.status(id));
  }

  async jobs(id = 1): Promise<JobRecord[]> {
    return (await this.#ask((engine) => engine.listJobs(id, ALL))).items;
  }

  /** The job of workflow 1 with this name. */
  job(name: string): Promise<JobRecord> {
    return this.#ask((engine) => engine.getJob(1, name));
  }

  async attempts(job?: string, id = 1): Promise<AttemptRecord[]> {
    const query = job === undefined ? ALL : { ...ALL, job };
    return (await this.#ask((engine) => engine.listAttempts(id, query))).items;
  }

  async events(id = 1): Promise<EventRecord[]> {
    return (await this.#ask((engine) => engine.listEvents(id, ALL))).items;
  }

  /** Polls until workflow 1 has a job that satisfies the check. */
  jobWhich(what: string, check: (job: JobRecord) => boolean): Promise<JobRecord> {
    return this.#ask((engine) => until(async () => (await createdJobs(engine)).find(check), what));
  }

  /** Polls until workflow 1 has an attempt that satisfies the check. */
  async attemptWhich(what: string, check: (attempt: AttemptRecord) => boolean): Promise<AttemptRecord> {
    await this.jobWhich('the workflow is created', () => true);
    return this.#ask((engine) =>
      until(async () => (await engine.listAttempts(1, ALL)).items.find(check), what),
    );
  }

  /** Polls until an errand of this kind runs in workflow 1. */
  errand(kind: string): Promise<boolean> {
    return this.#ask((engine) =>
      until(async () => (await engine.status(1)).errands.some((each) => each.kind === kind), `${kind} runs`),
    );
  }

  /** Polls until the store has seen as many jobs of workflow 1 start. */
  running(count = 1): Promise<boolean> {
    const isRunning = ({ status }: JobRecord) => status === 'running';
    return this.#ask((engine) =>
      until(async () => (await createdJobs(engine)).filter(isRunning).length === count, `${count} jobs run`),
    );
  }

  write(name: string, text = ''): void {
    writeFileSync(join(this.dir, name), text);
  }

  /** The lines of a file that jobs write; none if there is no such file. */
  lines(name: string): string[] {
    try {
      return readFileSync(join(this.dir, name), 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  }

  linesReached(name: string, count: number): Promise<boolean> {
    return until(() => this.lines(name).length >= count, `${name} has ${count} lines`);
  }

  /** Everything alive that this world's commands have started, and they themselves. */
  processes(): ProcessInfo[] {
    const { processes, environment } = readProcessTable(new Set());
    const marked = `${MARKER}=${this.#key}`;
    return [...processes.values()].filter(({ pid }) => environment(pid)?.includes(marked));
  }

  launchers(): ProcessInfo[] {
    return this.processes().filter(({ pid }) => commandLine(pid).includes('dist/launcher.cjs'));
  }

  /** Fails if something still lives after the deadline. */
  nothingLeft(deadlineMs = 5_000): Promise<boolean> {
    return until(() => this.processes().length === 0, 'no process of the run is alive', deadlineMs);
  }

  /**
   * Asks the store directly: a command for every look would take longer than what is looked at. It is not
   * kept open, or what is killed would never leave a store that has to be recovered.
   */
  async #ask<T>(question: (engine: Engine) => Promise<T>): Promise<T> {
    const dir = stateOf(this.dir);
    await until(() => existsSync(join(dir, 'holdfast.db')), 'there is a store');
    const engine = await openEngine({ dir, create: false });
    try {
      return await question(engine);
    } finally {
      await engine.close();
    }
  }

  destroy(): void {
    for (const { pid } of this.processes()) kill(pid);
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A world with the given files, gone after the test. */
export function makeWorld({ onTestFinished }: TestContext, files: Record<string, string | object>): World {
  const world = new World(files);
  onTestFinished(() => world.destroy());
  return world;
}

/** A world whose spec.json has these jobs. */
export function jobsWorld(context: TestContext, jobs: object[], more: object = {}): World {
  return makeWorld(context, { 'spec.json': { name: 'e2e', ...more, jobs } });
}

/** The most attempts that ran at the same moment, by their stored times. */
export function largestOverlap(attempts: AttemptRecord[]): number {
  return Math.max(
    0,
    ...attempts.map(
      ({ started_at_ms: at }) =>
        attempts.filter(({ started_at_ms, finished_at_ms }) => started_at_ms! <= at! && at! < finished_at_ms!)
          .length,
    ),
  );
}

/** The jobs of workflow 1; none before it is created. */
async function createdJobs(engine: Engine): Promise<JobRecord[]> {
  const { items } = await engine.listWorkflows();
  return items.length === 0 ? [] : (await engine.listJobs(1, ALL)).items;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
