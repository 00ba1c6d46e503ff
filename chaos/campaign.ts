import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.ts';
import { checkRequest } from './check-request.ts';
import { checkWorkflow, type WorkflowFacts } from './check-workflow.ts';
import { Driver } from './driver.ts';
import { chooseFaults, type Fault, inject } from './faults.ts';
import { decisions, edited, graph, type Plan, recoveries, request, routes } from './plans.ts';
import { Random } from './random.ts';
import { Tally } from './tally.ts';
import { type Database, World } from './world.ts';

export interface CampaignOptions {
  seed: number;
  database: Database;
  /** Ends after the step in which one of these is reached. */
  minutes: number;
  faults: number;
  /** One small step after another, without faults that outlast a lease. */
  quick: boolean;
  print: (line: string) => void;
}

/** For everything to end once nothing is broken any more. */
const PATIENCE_MS = 180_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const SLOW_MS = 20_000;
const HANDS = 3;
const NETWORK = { drop: 0.04, dropAnswer: 0.04, double: 0.04, delayMs: 500 };

interface Submitted {
  plan: Plan;
  id: number;
}

/** Breaks things while work is done, puts them right, waits until all has ended, and checks; again and again. */
export async function runCampaign(options: CampaignOptions): Promise<Tally> {
  const { seed, database, quick, print } = options;
  const tally = new Tally();
  const end = performance.now() + options.minutes * 60_000;
  let world: World | null = null;
  const interrupted = () => {
    print(`interrupted; seed ${seed}, step ${tally.steps}`);
    void world?.stop({ keep: false }).finally(() => process.exit(130));
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    do {
      tally.steps += 1;
      const random = new Random(seed * 10_007 + tally.steps);
      const size = { database, servers: 2, workers: quick ? 2 : 3 };
      world ??= await World.start(size, () => random.next());
      for (const reason of world.lacks) tally.skipped.add(`full disks: ${reason}`);
      const step = new Step(world, random, options, tally);
      const found = await step.run();
      const { brokeMs, settledMs, slowest } = step;
      print(
        `step ${tally.steps}: ${tally.faults()} faults, ${tally.jobs} jobs, ${found.length} violations; broke for ${seconds(brokeMs)}, settled in ${seconds(settledMs)}${slowest}`,
      );
      if (found.length > 0) {
        for (const text of found) print(`VIOLATION (seed ${seed}, step ${tally.steps}): ${text}`);
        print(`kept: ${world.dir}`);
        tally.violations.push(...found);
        await world.stop({ keep: true });
        world = null;
      }
    } while (performance.now() < end && tally.faults() < options.faults);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await world?.stop({ keep: false });
  }
  return tally;
}

/** Workflows, faults and checks of one step. */
class Step {
  readonly #world: World;
  readonly #random: Random;
  readonly #options: CampaignOptions;
  readonly #tally: Tally;
  readonly #api: Api;
  readonly #violations: string[] = [];
  /** How long things were broken, and how long all took to end after that. */
  brokeMs = 0;
  settledMs = 0;
  /** What was open after ten seconds. */
  slowest = '';

  constructor(world: World, random: Random, options: CampaignOptions, tally: Tally) {
    this.#world = world;
    this.#random = random;
    this.#options = options;
    this.#tally = tally;
    this.#api = new Api(() => world.urls);
  }

  async run(): Promise<string[]> {
    const random = this.#random;
    const { quick, database } = this.#options;
    const prefix = `s${this.#tally.steps}`;
    const plans = [
      graph(`${prefix}-graph`, random, quick ? 5 : 10),
      ...(quick ? [] : [graph(`${prefix}-other`, random, 8)]),
      recoveries(`${prefix}-recoveries`, random),
      routes(`${prefix}-routes`, random),
      decisions(`${prefix}-decisions`, random),
    ];
    const requests = [request(`${prefix}-request`, random)];
    const drivers = [new Driver(this.#world, `${prefix}-driver`)];
    const faults = chooseFaults(random, {
      count: quick ? 10 : 30,
      database,
      hasDisks: this.#world.outputDisk !== null,
      quick,
    });
    const courses = drivers.map((driver) => ({ driver, specs: edited(`${prefix}-edited`, random) }));

    const submitted: Submitted[] = [];
    for (const plan of plans) submitted.push({ plan, id: await this.#submit(plan) });
    for (const each of requests) await this.#api.ask('POST', '/requests', wrap(each.spec), each.name);
    const driving = Promise.all(courses.map(({ driver, specs }) => driver.drive(specs)));
    driving.catch(() => {});
    const follower = this.#world.process(`${prefix}-follower`, [
      ...['watch', String(submitted[0]!.id), '--server', this.#world.proxy.url],
    ]);
    follower.start();
    // Only one that has reached its server waits for it through outages.
    await this.#untilTrue(
      () => follower.output.includes('stops following') || follower.pid === null,
      'watch follows',
    );

    const answering = new AbortController();
    const answers = this.#answer(submitted, requests, answering.signal);
    this.#world.proxy.faults = NETWORK;
    const before = { ...this.#world.proxy.counts };
    const began = performance.now();
    await this.#break(faults, drivers);
    this.#world.heal();
    this.#countNetwork(before);
    const healed = performance.now();
    this.brokeMs = healed - began;

    this.#api.slow.length = 0;
    await this.#settle(submitted, requests);
    answering.abort();
    await answers;
    await this.#within('the drivers have ended', driving);
    await this.#untilTrue(() => follower.pid === null, 'the follower has ended');
    this.settledMs = performance.now() - healed;
    for (const text of this.#api.slow) this.slowest += `; slow: ${text}`;
    const expected = submitted[0]!.plan.exitCode;
    if (follower.pid === null && follower.exitCode !== expected)
      this.#violations.push(
        `watch exited with ${follower.exitCode}, not ${expected}: ${follower.output.slice(-400)}`,
      );
    await follower.end('SIGKILL');
    await this.#check(submitted, requests, drivers);
    return this.#violations;
  }

  async #submit(plan: Plan): Promise<number> {
    const { status, body } = await this.#api.ask('POST', '/workflows', wrap(plan.spec), plan.name);
    if (status >= 300) throw new Error(`${plan.name}: ${status} ${JSON.stringify(body)}`);
    return body.id as number;
  }

  /** Several hands break things from one list. */
  async #break(faults: Fault[], drivers: Driver[]): Promise<void> {
    const left = [...faults];
    const hands = Array.from({ length: HANDS }, async () => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
        this.#world.note(JSON.stringify(fault));
        if (await inject(fault, this.#world, drivers)) this.#tally.count(fault.kind);
        await sleep(fault.which % 400);
      }
    });
    await Promise.all(hands);
  }

  #countNetwork(before: Record<string, number>): void {
    for (const [kind, count] of Object.entries(this.#world.proxy.counts))
      this.#tally.count(`network ${kind}`, count - before[kind]!);
  }

  /** Answers what waits for a decision, while things break and after. */
  async #answer(submitted: Submitted[], requests: { name: string }[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const { plan, id } of submitted) await this.#decide(plan, id);
      for (const { name } of requests) {
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
  async #settle(submitted: Submitted[], requests: { name: string }[]): Promise<void> {
    const open = async () => {
      const left: string[] = [];
      for (const { plan, id } of submitted) {
        const answer = await this.#api.once('GET', `/workflows/${id}/status`);
        if (answer?.body.complete !== true) left.push(`${plan.name}: ${JSON.stringify(answer?.body.counts)}`);
      }
      for (const { name } of requests) {
        const answer = await this.#api.once('GET', `/requests/${name}`);
        if (answer?.body.status !== 'COMPLETED') left.push(`${name}: ${answer?.body.status}`);
      }
      return left;
    };
    let left = await open();
    const began = performance.now();
    while (left.length > 0 && performance.now() - began < PATIENCE_MS) {
      await sleep(200);
      left = await open();
      if (performance.now() - began > SLOW_MS && left.length > 0)
        this.slowest ||= `; last ${left.join(', ')}`;
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

  async #check(
    submitted: Submitted[],
    requests: { name: string; total: number }[],
    drivers: Driver[],
  ): Promise<void> {
    const api = this.#api;
    for (const { plan, id } of submitted) {
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
      this.#tally.repeated += checked.repeated;
      this.#tally.workflows += 1;
      this.#tally.jobs += facts.jobs.length;
    }
    for (const each of requests) {
      const { violations, jobs } = await checkRequest(api, each, this.#world.ledger);
      this.#violations.push(...violations);
      this.#tally.requests += 1;
      this.#tally.jobs += jobs;
    }
    for (const driver of drivers) {
      this.#violations.push(...driver.violations);
      this.#tally.workflows += 1;
      this.#tally.jobs += driver.jobs;
    }
    await this.#untilTrue(() => this.#world.jobPids().length === 0, 'no process of a job is left');
    this.#violations.push(...api.bugs, ...this.#world.crashes());
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function wrap(spec: object): object {
  return { spec: JSON.stringify(spec) };
}
