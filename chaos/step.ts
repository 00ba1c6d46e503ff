import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HoldfastProcess } from '../test/chaos/holdfast-process.ts';
import { Api } from './api.ts';
import { checkRequest } from './check-request.ts';
import { checkWorkflow, type WorkflowFacts } from './check-workflow.ts';
import { Driver } from './driver.ts';
import { localPlace, remotePlace } from './driver-place.ts';
import { chooseFaults } from './faults.ts';
import { inject } from './inject.ts';
import { Patience } from './patience.ts';
import { decisions, edited, graph, type Plan, recoveries, request, routes } from './plans.ts';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';
import type { Database, World } from './world.ts';

/** For something to change once nothing is broken any more, and for everything to end. */
const PATIENCE_MS = 180_000;
const LONGEST_MS = 1_800_000;
const SLOW_MS = 10_000;
/** Of work; with each come as many faults. */
const WAVES = 3;
const HANDS = 10;
/** Between two faults of one hand. */
const REST_MS = 150;
const NETWORK = { drop: 0.06, dropAnswer: 0.06, double: 0.08, delayMs: 300 };
/** What is open is noted so often while all settles. */
const NOTE_MS = 2_000;

export interface StepOptions {
  database: Database;
  quick: boolean;
}

interface Submitted {
  plan: Plan;
  id: number;
}

/** Workflows, faults and checks of one step. */
export class Step {
  readonly #world: World;
  readonly #random: Random;
  readonly #options: StepOptions;
  readonly #tally: Tally;
  readonly #api: Api;
  readonly #violations: string[] = [];
  readonly #workflows: Submitted[] = [];
  readonly #requests: { name: string; total: number }[] = [];
  readonly #drivers: Driver[] = [];
  readonly #driving: Promise<void>[] = [];
  /** How long things were broken, and how long all took to end after that. */
  brokeMs = 0;
  settledMs = 0;
  /** What was open for long after all was put right. */
  slowest = '';

  constructor(world: World, random: Random, options: StepOptions, tally: Tally) {
    this.#world = world;
    this.#random = random;
    this.#options = options;
    this.#tally = tally;
    this.#api = new Api(() => world.urls);
  }

  async run(): Promise<string[]> {
    const prefix = `s${this.#tally.steps}`;
    await this.#begin(`${prefix}w1`);
    const follower = await this.#follow(`${prefix}-follower`);
    const answering = new AbortController();
    const answers = this.#answer(answering.signal);
    this.#world.usualNetwork = NETWORK;
    this.#world.proxy.faults = NETWORK;
    const before = { ...this.#world.proxy.counts };
    const began = performance.now();
    await this.#break();
    // More work comes while things are broken.
    for (let wave = 2; wave <= (this.#options.quick ? 1 : WAVES); wave += 1) {
      await this.#begin(`${prefix}w${wave}`);
      await this.#break();
    }
    this.#world.heal();
    this.#countNetwork(before);
    const healed = performance.now();
    this.brokeMs = healed - began;

    this.#api.slow.length = 0;
    await this.#settle();
    answering.abort();
    await answers;
    await this.#within('the drivers have ended', Promise.all(this.#driving));
    await this.#untilTrue(() => follower.pid === null, 'the follower has ended');
    this.settledMs = performance.now() - healed;
    for (const text of this.#api.slow) this.slowest += `; slow: ${text}`;
    const expected = this.#workflows[0]!.plan.exitCode;
    if (follower.pid === null && follower.exitCode !== expected)
      this.#violations.push(
        `watch exited with ${follower.exitCode}, not ${expected}: ${follower.output.slice(-400)}`,
      );
    await follower.end('SIGKILL');
    await this.#check();
    return this.#violations;
  }

  /** Workflows on the servers, a request, and people with `run`. */
  async #begin(prefix: string): Promise<void> {
    const random = this.#random;
    const { quick } = this.#options;
    const plans = [
      graph(`${prefix}-graph`, random, quick ? 5 : 10),
      ...(quick ? [] : [graph(`${prefix}-other`, random, 8)]),
      recoveries(`${prefix}-recoveries`, random),
      routes(`${prefix}-routes`, random),
      decisions(`${prefix}-decisions`, random),
    ];
    const asked = request(`${prefix}-request`, random);
    const places = {
      driver: localPlace(this.#world, `${prefix}-driver`),
      remote: remotePlace(this.#world, this.#api),
    };
    const drivers = Object.entries(places)
      .slice(0, quick ? 1 : 2)
      .map(([name, place]) => new Driver(this.#world, `${prefix}-${name}`, place));
    const courses = drivers.map((driver) => ({ driver, specs: edited(`${driver.name}-edited`, random) }));
    for (const plan of plans) this.#workflows.push({ plan, id: await this.#submit(plan) });
    await this.#api.ask('POST', '/requests', wrap(asked.spec), asked.name);
    this.#requests.push(asked);
    for (const { driver, specs } of courses) {
      this.#drivers.push(driver);
      const driving = driver.drive(specs);
      driving.catch(() => {});
      this.#driving.push(driving);
    }
  }

  /** Only one that has reached its server waits for it through outages. */
  async #follow(name: string): Promise<HoldfastProcess> {
    const args = ['watch', String(this.#workflows[0]!.id), '--server', this.#world.proxy.url];
    const follower = this.#world.process(name, args);
    follower.start();
    await this.#untilTrue(
      () => follower.output.includes('stops following') || follower.pid === null,
      'watch follows',
    );
    return follower;
  }

  async #submit(plan: Plan): Promise<number> {
    const { status, body } = await this.#api.ask('POST', '/workflows', wrap(plan.spec), plan.name);
    if (status >= 300) throw new Error(`${plan.name}: ${status} ${JSON.stringify(body)}`);
    return body.id as number;
  }

  /** Several hands break things from one list. */
  async #break(): Promise<void> {
    const { quick, database } = this.#options;
    const left = chooseFaults(this.#random, {
      count: quick ? 10 : 140,
      database,
      hasDisks: this.#world.outputDisk !== null,
      quick,
    });
    const scene = {
      ...{ world: this.#world, api: this.#api },
      ...{ drivers: this.#drivers, workflows: this.#workflows },
    };
    const hands = Array.from({ length: HANDS }, async () => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
        this.#world.note(JSON.stringify(fault));
        if (await inject(fault, scene)) this.#tally.count(fault.kind);
        await sleep(fault.which % REST_MS);
      }
    });
    await Promise.all(hands);
  }

  #countNetwork(before: Record<string, number>): void {
    for (const [kind, count] of Object.entries(this.#world.proxy.counts))
      this.#tally.count(`network ${kind}`, count - before[kind]!);
  }

  /** Answers what waits for a decision, while things break and after. */
  async #answer(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const { plan, id } of this.#workflows) await this.#decide(plan, id);
      for (const { name } of this.#requests) {
        const answer = await this.#api.once('GET', `/requests/${name}`);
        if (answer?.body.status === 'HELD') await this.#api.once('POST', `/requests/${name}/release`, {});
      }
      await sleep(200);
    }
  }

  async #decide(plan: Plan, id: number): Promise<void> {
    if (Object.keys(plan.answers).length === 0) return;
    const jobs = await this.#api.once('GET', `/workflows/${id}/jobs?status=pending_failed`);
    for (const job of (jobs?.body.items ?? []) as { id: number; name: string }[]) {
      const action = plan.answers[job.name]!;
      if (action === 'retry') writeFileSync(join(this.#world.ledger, `approved-${id}-${job.id}`), '');
      await this.#api.once('POST', `/workflows/${id}/resolve`, { decisions: [{ job_id: job.id, action }] });
    }
  }

  /** Nothing is stuck. */
  async #settle(): Promise<void> {
    const ended = new Set<string>();
    let seen = '';
    const open = async () => {
      const left: string[] = [];
      const states: unknown[] = [];
      for (const { plan, id } of this.#workflows) {
        if (ended.has(plan.name)) continue;
        const answer = await this.#api.once('GET', `/workflows/${id}/status`);
        if (answer?.body.complete === true) ended.add(plan.name);
        else left.push(`${plan.name}: ${describeOpen(answer?.body)}`);
        states.push(answer?.body.counts);
      }
      for (const { name } of this.#requests) {
        if (ended.has(name)) continue;
        const answer = await this.#api.once('GET', `/requests/${name}`);
        if (answer?.body.status === 'COMPLETED') ended.add(name);
        else left.push(`${name}: ${answer?.body.status}`);
        states.push([answer?.body.status, answer?.body.delivered, answer?.body.rounds]);
      }
      seen = JSON.stringify(states);
      return left;
    };
    let left = await open();
    const began = performance.now();
    let notedAt = began;
    const patience = new Patience({ stillMs: PATIENCE_MS, mostMs: LONGEST_MS }, began);
    while (left.length > 0 && !patience.isOver(seen, performance.now())) {
      await sleep(200);
      left = await open();
      if (performance.now() - notedAt > NOTE_MS) {
        notedAt = performance.now();
        this.#world.note(`open: ${left.join(', ')}`);
      }
      if (performance.now() - began > SLOW_MS && left.length > 0)
        this.slowest ||= `; open after ${seconds(SLOW_MS)}: ${left.join(', ')}`;
    }
    for (const text of left) this.#violations.push(`stuck: ${text}`);
  }

  async #within(what: string, promise: Promise<unknown>): Promise<void> {
    const clock = new AbortController();
    const late = sleep(PATIENCE_MS, 'late', { signal: clock.signal }).catch(() => '');
    const first = await Promise.race([promise.then(() => ''), late]);
    clock.abort();
    if (first === 'late') this.#violations.push(`stuck: not true in time: ${what}`);
  }

  async #untilTrue(holds: () => boolean, what: string): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; !holds() && performance.now() < end; ) await sleep(100);
    if (!holds()) this.#violations.push(`stuck: not true in time: ${what}`);
  }

  async #check(): Promise<void> {
    const api = this.#api;
    for (const { plan, id } of this.#workflows) {
      const status = await api.ask('GET', `/workflows/${id}/status`);
      const facts: WorkflowFacts = {
        workflowId: id,
        jobs: await api.list(`/workflows/${id}/jobs`),
        attempts: await api.list(`/workflows/${id}/attempts`),
        events: await api.list(`/workflows/${id}/events`),
        exitCode: status.body.exit_code,
        ledger: this.#world.ledger,
      };
      const checked = checkWorkflow(facts, plan);
      this.#violations.push(...checked.violations);
      for (const reason of checked.repeated) this.#tally.repeat(reason);
      this.#tally.workflows += 1;
      this.#tally.jobs += facts.jobs.length;
    }
    for (const each of this.#requests) {
      const { violations, jobs } = await checkRequest(api, each, this.#world.ledger);
      this.#violations.push(...violations);
      this.#tally.requests += 1;
      this.#tally.jobs += jobs;
    }
    for (const driver of this.#drivers) {
      this.#violations.push(...driver.violations);
      this.#tally.workflows += 1;
      this.#tally.jobs += driver.jobs;
    }
    await this.#untilTrue(() => this.#world.jobPids().length === 0, 'no process of a job is left');
    this.#violations.push(...api.bugs, ...this.#world.crashes());
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function wrap(spec: object): object {
  return { spec: JSON.stringify(spec) };
}

interface OpenWorkflow {
  counts: Record<string, number>;
  running: { name: string; started_at_ms: number }[];
  waiting: { name: string; retry_available_at_ms: number }[];
  errands: { kind: string }[];
}

/** What is left, and what it waits for. */
function describeOpen(status: OpenWorkflow | undefined): string {
  if (status === undefined) return 'no answer';
  const { counts, running, waiting, errands } = status;
  const now = Date.now();
  return [
    ...Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : [])),
    ...running.map(({ name, started_at_ms }) => `${name} runs for ${seconds(now - started_at_ms)}`),
    ...waiting.map((each) => `retry of ${each.name} in ${seconds(each.retry_available_at_ms - now)}`),
    ...errands.map(({ kind }) => `${kind} is open`),
  ].join(', ');
}
