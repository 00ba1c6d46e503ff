import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLI_PROGRAM } from '../src/core/package-files.ts';
import type { HoldfastProcess } from '../test/chaos/holdfast-process.ts';
import { checkWorkflow, type WorkflowFacts } from './check-workflow.ts';
import type { Plan } from './plans.ts';
import type { SmallDisk } from './small-disk.ts';
import type { World } from './world.ts';

const POLL_MS = 30;
const READS = 20;
/** Exit codes after a fault: killed, or stopped by a signal. */
const BROKEN_OFF = [null, 130, 143];

/** A person with `holdfast run` and no server, who starts it again whenever it was killed. */
export class Driver {
  readonly name: string;
  readonly disk: SmallDisk | null;
  readonly violations: string[] = [];
  jobs = 0;
  #current: HoldfastProcess | null = null;
  /** Its disk was full while it ran. */
  #isDisturbed = false;
  readonly #world: World;
  readonly #ledger: string;

  constructor(world: World, name: string) {
    this.name = name;
    this.#world = world;
    this.#ledger = join(world.dir, `${name}-ledger`);
    mkdirSync(this.#ledger);
    this.disk = world.mountDisk(`${name}/.holdfast`);
  }

  get process(): HoldfastProcess | null {
    return this.#current;
  }

  disturb(): void {
    this.#isDisturbed = true;
  }

  /** Runs a spec to its end, then the edited one over it. */
  async drive({ before, after }: { before: Plan; after: Plan }): Promise<void> {
    this.#write('before.json', before.spec);
    await this.#untilEnded(['run', '1'], ['run', 'before.json'], before.exitCode);
    await this.#check(before);
    this.#write('after.json', after.spec);
    const resume = ['run', 'after.json', '--continue', '1'];
    await this.#untilEnded(resume, resume, after.exitCode);
    await this.#check(after);
    await this.#checkOnce(['one', 'two']);
  }

  async #untilEnded(resume: string[], first: string[], expected: number): Promise<void> {
    for (let args = first; ; ) {
      const code = await this.#run([...args, '-j', '4']);
      // What it exits with on a full disk is not about the workflow, so that it is asked again.
      const isAbout = !this.#isDisturbed;
      this.#isDisturbed = false;
      if (code === expected && isAbout) return;
      const isUnknown = code === 2 && resume !== first && args === resume;
      if (isAbout && !isUnknown && !BROKEN_OFF.includes(code)) {
        this.violations.push(
          `${this.name}: holdfast ${args.join(' ')} exited with ${code}, not ${expected}: ${this.#current!.output.slice(-600)}`,
        );
        return;
      }
      args = isUnknown ? first : resume;
      await sleep(POLL_MS);
    }
  }

  async #run(args: string[]): Promise<number | null> {
    const program = this.#world.process(this.name, args, { CHAOS_DIR: this.#ledger });
    this.#current = program;
    program.start();
    while (program.pid !== null) await sleep(POLL_MS);
    return program.exitCode;
  }

  #write(file: string, spec: object): void {
    // Not on the disk that is filled.
    writeFileSync(join(this.#world.dir, this.name, file), JSON.stringify(spec));
  }

  /** Its disk may be full at the moment. */
  async #read(command: string): Promise<unknown> {
    const cwd = join(this.#world.dir, this.name);
    const args = [CLI_PROGRAM.pathname, command, '1', '--output', 'json'];
    for (let left = READS; ; left -= 1) {
      const { stdout, stderr, status } = spawnSync(process.execPath, args, {
        cwd,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      });
      if (status === 0) return JSON.parse(stdout);
      if (left === 0) throw new Error(`${this.name}: holdfast ${command} exited with ${status}: ${stderr}`);
      await sleep(500);
    }
  }

  async #facts(): Promise<WorkflowFacts> {
    return {
      workflowId: 1,
      jobs: (await this.#read('jobs')) as WorkflowFacts['jobs'],
      attempts: (await this.#read('attempts')) as WorkflowFacts['attempts'],
      events: (await this.#read('events')) as WorkflowFacts['events'],
      exitCode: null,
      ledger: this.#ledger,
    };
  }

  async #check(plan: Plan): Promise<void> {
    const facts = await this.#facts();
    this.jobs = facts.jobs.length;
    const { violations } = checkWorkflow(facts, plan);
    this.violations.push(...violations.map((text) => `${this.name}: ${text}`));
  }

  /** An edit of other jobs does not run these again. */
  async #checkOnce(names: string[]): Promise<void> {
    const { attempts } = await this.#facts();
    for (const name of names) {
      const count = attempts.filter((each) => each.job_name === name && each.state === 'SUCCEEDED').length;
      if (count !== 1) this.violations.push(`${this.name}: ${name} succeeded ${count} times over all runs`);
    }
  }
}
