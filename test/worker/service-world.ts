import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, type TestContext } from 'vitest';
import type { Engine, ServedEngine } from '../../src/contract/engine.ts';
import type { AttemptRecord, JobRecord } from '../../src/contract/records/records.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { readProcessTable } from '../../src/worker/launcher/kill/process-table.ts';
import type { ServiceWorkerOptions } from '../../src/worker/service-options.ts';
import { ServiceWorker } from '../../src/worker/service-worker.ts';
import { buildProgram } from '../build-program.ts';
import { kill } from '../kill-process.ts';

const PROGRAM = await buildProgram('test/worker/service-program.ts');
/** Every process that a world starts inherits it. */
const MARKER = 'HF_SERVICE_WORLD';

/** A worker in a process of its own. */
export interface WorkerProgram {
  child: ChildProcess;
  output(): string;
  ended: Promise<void>;
}

/** A store, workers on it, and what their jobs leave in its directory. */
export class ServiceWorld {
  readonly dir: string;
  readonly engine: ServedEngine;
  readonly leaseMs: number;
  readonly log: string[] = [];

  readonly #context: TestContext;

  private constructor(context: TestContext, dir: string, engine: ServedEngine, leaseMs: number) {
    this.#context = context;
    this.dir = dir;
    this.engine = engine;
    this.leaseMs = leaseMs;
  }

  static async make(context: TestContext, leaseMs = 30_000): Promise<ServiceWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-service-'));
    const engine = await openEngine({ dir: join(dir, 'store'), create: true });
    const world = new ServiceWorld(context, dir, engine, leaseMs);
    context.onTestFinished(async () => {
      for (const pid of world.processes()) kill(pid);
      await engine.close();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    });
    return world;
  }

  /** The same place with another engine. */
  on(engine: ServedEngine): ServiceWorld {
    return new ServiceWorld(this.#context, this.dir, engine, this.leaseMs);
  }

  /** A workflow whose jobs run in the directory of the world; shared by default. */
  async submit(
    jobs: object[],
    more: object = {},
    shared = true,
    change: (job: WorkflowModel['jobs'][number]) => void = () => {},
  ): Promise<number> {
    const loaded = loadSpec(JSON.stringify({ name: 'service', ...more, jobs }), 'spec.json');
    if (!loaded.ok) throw new Error(JSON.stringify(loaded));
    // Jobs of a spec are made anew whenever they are read.
    const model = { ...loaded.model, jobs: [...loaded.model.jobs] };
    for (const job of model.jobs) change(job);
    const { id } = await this.engine.createWorkflow({
      model,
      cwd: '.',
      output_dir: 'output',
      actor: 'tester',
      shared,
    });
    return id;
  }

  /** A worker in this process; stopped after the test. */
  worker(options: Partial<ServiceWorkerOptions> = {}, engine: Engine = this.engine) {
    const worker = new ServiceWorker(engine, {
      stateDir: join(this.dir, 'worker'),
      baseDir: this.dir,
      labels: [],
      cpus: 4,
      memoryBytes: 1e9,
      gpus: 0,
      maxParallel: null,
      graceMs: 1000,
      keepWork: 'failed',
      drainTimeoutMs: 60_000,
      leaseMs: this.leaseMs,
      log: (line) => this.log.push(line),
      ...options,
    });
    const ended = worker.run();
    this.#context.onTestFinished(async () => {
      worker.kill();
      await ended.catch(() => {});
    });
    return { worker, ended };
  }

  /** A worker in a process of its own, which this one may kill. */
  program(name = 'worker'): WorkerProgram {
    const options = { stateDir: join(this.dir, name), baseDir: this.dir, leaseMs: this.leaseMs };
    const child = spawn(process.execPath, [PROGRAM, join(this.dir, 'store'), JSON.stringify(options)], {
      env: { ...process.env, [MARKER]: this.dir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    return { child, output: () => text, ended };
  }

  /** Has processes stand still, at a moment at which none of them writes: that would lock the store for so long. */
  async halt(...pids: number[]): Promise<void> {
    for (;;) {
      for (const pid of pids) kill(pid, 'SIGSTOP');
      if (!this.#isLocked()) return;
      for (const pid of pids) kill(pid, 'SIGCONT');
      await sleep(5);
    }
  }

  #isLocked(): boolean {
    const database = openDatabase(join(this.dir, 'store', 'holdfast.db'));
    try {
      database.exec('begin immediate; rollback');
      return false;
    } catch {
      return true;
    } finally {
      database.close();
    }
  }

  async jobs(id = 1): Promise<JobRecord[]> {
    return (await this.engine.listJobs(id, { limit: 1000 })).items;
  }

  async attempts(id = 1): Promise<AttemptRecord[]> {
    return (await this.engine.listAttempts(id, { limit: 1000 })).items;
  }

  async running(count = 1, id = 1): Promise<void> {
    await until(`${count} jobs run`, async () => {
      return (await this.jobs(id)).filter(({ status }) => status === 'running').length === count;
    });
  }

  async complete(id = 1): Promise<void> {
    await until('the workflow is complete', async () => (await this.engine.status(id)).complete, 60_000);
  }

  /** The lines of a file that jobs write; none if there is no such file. */
  lines(name: string): string[] {
    try {
      return readFileSync(join(this.dir, name), 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  }

  /** What the programs of this world have started, and they themselves. */
  processes(): number[] {
    const { processes, environment } = readProcessTable(new Set());
    return [...processes.keys()].filter((pid) => environment(pid)?.includes(`${MARKER}=${this.dir}`));
  }

  launchers(): number[] {
    return this.processes().filter((pid) => commandLine(pid).includes('dist/launcher.cjs'));
  }

  /** Processes of jobs: their environment has the work directory of the attempt. */
  jobProcesses(): number[] {
    const { processes, environment } = readProcessTable(new Set());
    return [...processes.keys()].filter((pid) => environment(pid)?.includes(`HOLDFAST_WORK_DIR=${this.dir}`));
  }
}

export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  deadlineMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await check())) {
    if (performance.now() > deadline) expect.fail(`${what} did not happen within ${deadlineMs} ms`);
    await sleep(20);
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
