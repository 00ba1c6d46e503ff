import { writeFileSync } from 'node:fs';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Claim } from '../../src/contract/records/exchange.ts';
import type { JobRecord } from '../../src/contract/records/records.ts';
import type { MoreRoutes, ServerOptions } from '../../src/server/create-server.ts';
import { NO_REPORTS, ServerWorld } from './server-world.ts';

const SPEC = {
  name: 'scene',
  use_pending_failed: true,
  failure_handlers: [{ name: 'patient', rules: [{ exit_codes: [10], max_retries: 2 }] }],
  user_data: [{ name: 'result', data: { a: 1 } }],
  files: [{ name: 'table', path: 'table.csv' }],
  jobs: [
    { name: 'done', command: 'true', output_files: ['table'] },
    { name: 'broken', command: 'exit 2', retry: { no_retry_on_exit_codes: [2] } },
    { name: 'undecided', command: 'exit 1' },
    { name: 'running', command: 'sleep 60', failure_handler: 'patient' },
    { name: 'blocked', command: 'true', depends_on: ['running'] },
  ],
};

/** A server that wants tokens, and a workflow with a job in every situation that matters. */
export class Scene {
  readonly world: ServerWorld;
  readonly workflow: number;
  readonly worker: number;
  readonly jobs: Record<string, JobRecord>;
  readonly claims: Record<string, Claim>;
  readonly handler: number;

  private constructor(facts: Omit<Scene, 'url' | 'spec'>) {
    this.world = facts.world;
    this.workflow = facts.workflow;
    this.worker = facts.worker;
    this.jobs = facts.jobs;
    this.claims = facts.claims;
    this.handler = facts.handler;
  }

  /** `accessGroups`: those of everything that is submitted; `options` has their members. */
  static async create(
    options: Partial<ServerOptions> = {},
    accessGroups: string[] = [],
    more?: (engine: ServedEngine) => MoreRoutes,
  ): Promise<Scene> {
    const world = await ServerWorld.create({ ...options, auth: 'token' }, more);
    world.accessGroups = accessGroups;
    return Scene.#set(world);
  }

  /** For several tests; whoever opens it closes its world. */
  static async open(): Promise<Scene> {
    return Scene.#set(await ServerWorld.open({ auth: 'token' }));
  }

  static async #set(world: ServerWorld): Promise<Scene> {
    const workflow = await world.store(SPEC);
    const { worker, claims } = await world.claimAll();
    const claim = (name: string) => claims.find(({ job_name }) => job_name === name)!;
    // What `done` declares is looked for by its worker; here it is simply reported.
    writeFileSync(`${world.dir}/table.csv`, 'a,b\n');
    await world.finish(worker, claim('done'), { exit_code: 0 });
    await world.finish(worker, claim('broken'), { exit_code: 2 });
    await world.finish(worker, claim('undecided'), { exit_code: 1 });
    await world.engine.exchange(worker, {
      ...NO_REPORTS,
      started: [{ token: claim('running').token, started_at_ms: Date.now() }],
      capacity: null,
    });
    await world.engine.putLogs(worker, [
      { token: claim('done').token, stream: 'stdout', offset: 0, data: Buffer.from('one\ntwo\nthree\n') },
    ]);
    const { items } = await world.engine.listJobs(workflow);
    const [handler] = (await world.engine.listFailureHandlers(workflow)).items;
    return new Scene({
      world,
      workflow,
      worker,
      claims: Object.fromEntries(claims.map((each) => [each.job_name, each])),
      jobs: Object.fromEntries(items.map((each) => [each.name, each])),
      handler: handler!.id,
    });
  }

  readonly spec = SPEC;

  /** Below the workflow. */
  readonly url = (rest = ''): string => `/api/v1/workflows/${this.workflow}${rest}`;
}
