import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HoldfastProcess } from '../test/chaos/holdfast-process.ts';
import { checkWorkflow, type WorkflowFacts } from './check-workflow.ts';
import type { DriverPlace } from './driver-place.ts';
import type { Plan } from './plans.ts';
import type { World } from './world.ts';

const POLL_MS = 30;
/** Exit codes after a fault: killed, or stopped by a signal. */
const BROKEN_OFF = [null, 130, 143];

/** A person with `holdfast run`, who starts it again whenever it was killed, and then edits the spec and continues. */
export class Driver {
  readonly name: string;
  readonly place: DriverPlace;
  readonly violations: string[] = [];
  jobs = 0;
  #current: HoldfastProcess | null = null;
  /** A disk was full while it ran. */
  #isDisturbed = false;
  readonly #world: World;

  constructor(world: World, name: string, place: DriverPlace) {
    this.name = name;
    this.#world = world;
    this.place = place;
    mkdirSync(place.ledger, { recursive: true });
  }

  get process(): HoldfastProcess | null {
    return this.#current;
  }

  /** Its disk is full from now on. */
  disturb(): void {
    this.#isDisturbed = true;
  }

  /** Runs a spec to its end, then the edited one over it. */
  async drive({ before, after }: { before: Plan; after: Plan }): Promise<void> {
    this.#write('before.json', before.spec);
    const started = await this.#untilEnded(before, (id) => (id === null ? ['before.json'] : [String(id)]));
    if (!started) return;
    this.#check(before, await this.#facts(before));
    this.#write('after.json', after.spec);
    const edited = await this.#untilEnded(after, (id) => ['after.json', '--continue', String(id)]);
    if (!edited) return;
    const facts = await this.#facts(after);
    this.#check(after, facts);
    this.#checkOnce(facts, ['one', 'two']);
  }

  /** False: it ended as it may not. */
  async #untilEnded({ name, exitCode }: Plan, args: (id: number | null) => string[]): Promise<boolean> {
    for (;;) {
      const words = ['run', ...args(await this.place.find(name)), ...this.place.args];
      const code = await this.#run(words);
      const { output } = this.#current!;
      // What it exits with on a full disk, or without a server, is not about the workflow, so that it is asked again.
      const isAbout = !this.#isDisturbed && !this.place.isOutage(output);
      this.#world.note(
        `${this.name}: holdfast ${words.join(' ')} exited with ${code}${isAbout ? '' : ', disturbed'}: ${output.slice(-300)}`,
      );
      if (isAbout && code === exitCode) return true;
      // On a full disk it exits with 1, and says so.
      if (!BROKEN_OFF.includes(code) && (isAbout || code === 2)) {
        this.violations.push(
          `${this.name}: holdfast ${words.join(' ')} exited with ${code}, not ${exitCode}: ${output.slice(-600)}`,
        );
        return false;
      }
      await sleep(POLL_MS);
    }
  }

  async #run(args: string[]): Promise<number | null> {
    const program = this.#world.process(this.name, args, this.place.env);
    this.#current = program;
    this.#isDisturbed = this.place.disk?.isFull === true;
    program.start();
    while (program.pid !== null) await sleep(POLL_MS);
    return program.exitCode;
  }

  #write(file: string, spec: object): void {
    // Not on the disk that is filled.
    const directory = join(this.#world.dir, this.name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, file), JSON.stringify(spec));
  }

  async #facts({ name }: Plan): Promise<WorkflowFacts> {
    const id = await this.place.find(name);
    if (id === null) throw new Error(`${this.name}: workflow ${name} is lost`);
    return { ...(await this.place.facts(id)), workflowId: id, exitCode: null, ledger: this.place.ledger };
  }

  #check(plan: Plan, facts: WorkflowFacts): void {
    this.jobs = facts.jobs.length;
    const { violations } = checkWorkflow(facts, plan);
    this.violations.push(...violations.map((text) => `${this.name}: ${text}`));
  }

  /** An edit of other jobs does not run these again. */
  #checkOnce({ attempts }: WorkflowFacts, names: string[]): void {
    for (const name of names) {
      const count = attempts.filter((each) => each.job_name === name && each.state === 'SUCCEEDED').length;
      if (count !== 1) this.violations.push(`${this.name}: ${name} succeeded ${count} times over all runs`);
    }
  }
}
