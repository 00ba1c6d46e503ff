import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allPages } from '../src/contract/all-pages.ts';
import type { ServedEngine } from '../src/contract/engine.ts';
import { openEngine } from '../src/engine/open-engine.ts';
import type { Api } from './api.ts';
import type { WorkflowFacts } from './check-workflow.ts';
import type { SmallDisk } from './small-disk.ts';
import type { World } from './world.ts';

const READ_AGAIN_MS = 100;
const PATIENCE_MS = 120_000;

type Records = Pick<WorkflowFacts, 'jobs' | 'attempts' | 'events'>;

/** Where a driver keeps its workflow: in its directory, or on the servers. */
export interface DriverPlace {
  /** More words for `holdfast run`. */
  args: string[];
  env: Record<string, string>;
  ledger: string;
  disk: SmallDisk | null;
  /** The number of the workflow; null: it is not stored. */
  find(name: string): Promise<number | null>;
  facts(id: number): Promise<Records>;
  /** It printed that something else was broken. */
  isOutage(output: string): boolean;
}

/** A state directory on a disk of its own, which may be full at the moment. */
export function localPlace(world: World, name: string): DriverPlace {
  const ledger = join(world.dir, `${name}-ledger`);
  const dir = join(world.dir, name, '.holdfast');
  const read = async <T>(work: (engine: ServedEngine) => Promise<T>): Promise<T> => {
    for (const end = performance.now() + PATIENCE_MS; ; await sleep(READ_AGAIN_MS)) {
      try {
        const engine = await openEngine({ dir, create: true });
        try {
          return await work(engine);
        } finally {
          await engine.close();
        }
      } catch (error) {
        if (performance.now() > end) throw error;
      }
    }
  };
  return {
    args: ['-j', '4'],
    env: { ...world.driverClock.env, CHAOS_DIR: ledger },
    ledger,
    disk: world.mountDisk(`${name}/.holdfast`),
    find: async () => (await read((engine) => engine.listWorkflows({ limit: 1 }))).items[0]?.id ?? null,
    facts: (id) =>
      read(async (engine) => ({
        jobs: await allPages((page) => engine.listJobs(id, page)),
        attempts: await allPages((page) => engine.listAttempts(id, page)),
        events: await allPages((page) => engine.listEvents(id, page)),
      })),
    isOutage: () => false,
  };
}

/** What `run` prints when a server was ended, its disk was full, or the network lost its words. */
const OUTAGE = /^error: .*(cannot reach|no space left|shutting down|failed: |could not be saved)/m;

/** On the servers, through the bad network. */
export function remotePlace(world: World, api: Api): DriverPlace {
  return {
    args: ['--server', world.proxy.url],
    env: {},
    ledger: world.ledger,
    disk: null,
    find: async (name) => {
      const all = await api.list<{ id: number; name: string }>('/workflows');
      return all.find((each) => each.name === name)?.id ?? null;
    },
    facts: async (id) => ({
      jobs: await api.list(`/workflows/${id}/jobs`),
      attempts: await api.list(`/workflows/${id}/attempts`),
      events: await api.list(`/workflows/${id}/events`),
    }),
    isOutage: (output) => OUTAGE.test(output),
  };
}
