import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults as NetworkFaults } from '../test/chaos/fault-proxy.ts';
import { kill } from '../test/kill-process.ts';
import type { Api } from './api.ts';
import type { Driver } from './driver.ts';
import type { Fault, FaultKind } from './faults.ts';
import type { SmallDisk } from './small-disk.ts';
import { LEASE_MS, type World } from './world.ts';

/** Everything that can be broken in a step. */
export interface Scene {
  world: World;
  drivers: readonly Driver[];
  api: Api;
  workflows: readonly { id: number }[];
}

/** Breaks one thing and puts it right after a while. False: there was nothing to break. */
type Injector = (fault: Fault, scene: Scene) => Promise<boolean>;

export function inject(fault: Fault, scene: Scene): Promise<boolean> {
  return INJECTORS[fault.kind](fault, scene);
}

const CUT: NetworkFaults = { drop: 1, dropAnswer: 0, double: 0, delayMs: 0 };
const BAD: NetworkFaults = { drop: 0.2, dropAnswer: 0.3, double: 0.4, delayMs: 300 };

const INJECTORS: Record<FaultKind, Injector> = {
  'kill server': async ({ which, ms }, { world }) => {
    const server = pick(world.servers, which)!;
    await server.end('SIGKILL');
    await sleep(ms / 2);
    server.start();
    return true;
  },
  'end server': async ({ which }, { world }) => {
    const server = pick(world.servers, which)!;
    await server.end('SIGTERM');
    server.start();
    return true;
  },
  'pause server': ({ which, ms }, { world }) => pause(pick(world.servers, which)!, ms),
  'kill worker': async ({ which, ms }, { world }) => {
    const worker = pick(world.workers, which)!;
    await worker.end('SIGKILL');
    await sleep(ms / 2);
    worker.start();
    return true;
  },
  'drain worker': async ({ which }, { world }) => {
    const worker = pick(world.workers, which)!;
    await worker.end('SIGTERM');
    worker.start();
    return true;
  },
  'pause worker': ({ which, ms }, { world }) => pause(pick(world.workers, which)!, ms),
  'fence worker': ({ which, ms }, { world }) => pause(pick(world.workers, which)!, LEASE_MS + ms),
  'kill launcher': async ({ which }, { world }) => {
    const launcher = pick(world.launchers(), which);
    if (launcher === undefined) return false;
    kill(launcher);
    return true;
  },
  'pause launcher': async ({ which, ms }, { world }) => {
    const launcher = pick(world.launchers(), which);
    if (launcher === undefined) return false;
    kill(launcher, 'SIGSTOP');
    await sleep(ms * 2);
    kill(launcher, 'SIGCONT');
    return true;
  },
  'cut network': ({ ms }, { world }) => disturb(world, CUT, ms * 2),
  'bad network': ({ ms }, { world }) => disturb(world, BAD, ms * 2),
  'kill driver': ({ which }, scene) => endDriver(scene, which, 'SIGKILL'),
  'interrupt driver': ({ which }, scene) => endDriver(scene, which, 'SIGINT'),
  'pause driver': async ({ which, ms }, { drivers }) => {
    const program = runningDriver(drivers, which)?.process;
    return program === undefined || program === null ? false : pause(program, ms);
  },
  'kill postgres': ({ ms }, { world }) => restartPostgres(world, 'kill', ms),
  'stop postgres': ({ ms }, { world }) => restartPostgres(world, 'stop', ms),
  'pause postgres': ({ ms }, { world }) =>
    withPostgres(world, async (postgres) => {
      await postgres.pause();
      await sleep(ms);
      await postgres.unpause();
    }),
  'end sessions': (_, { world }) =>
    withPostgres(world, (postgres) => postgres.endSessions(world.databaseUrl!)),
  'set server clock': ({ jumpMs, ms }, { world }) => setClock(world.serverClock, jumpMs, ms),
  'set worker clock': ({ jumpMs, ms }, { world }) => setClock(world.workerClock, jumpMs, ms),
  'set driver clock': ({ jumpMs, ms }, { world }) => setClock(world.driverClock, jumpMs, ms),
  'fill state disk': ({ ms }, { world }) => fill(world.stateDisk!, ms * 2),
  'fill output disk': ({ ms }, { world }) => fill(world.outputDisk!, ms * 2),
  'fill driver disk': async ({ which, ms }, { drivers }) => {
    const driver = pick(
      drivers.filter(({ place }) => place.disk !== null),
      which,
    );
    if (driver === undefined) return false;
    driver.disturb();
    return fill(driver.place.disk!, ms);
  },
  'pause workflow': async ({ which, ms }, { api, workflows }) => {
    const workflow = pick(workflows, which)!;
    const paused = await api.once('POST', `/workflows/${workflow.id}/pause`, {});
    await sleep(ms);
    // An answer may be lost after it was carried out.
    await api.ask('POST', `/workflows/${workflow.id}/resume`, {});
    return paused?.status === 200;
  },
};

function pick<T>(list: readonly T[], which: number): T | undefined {
  return list[which % Math.max(1, list.length)];
}

async function pause(program: { pause(): void; unpause(): void }, ms: number): Promise<true> {
  program.pause();
  await sleep(ms);
  program.unpause();
  return true;
}

async function disturb(world: World, faults: NetworkFaults, ms: number): Promise<true> {
  world.proxy.faults = faults;
  await sleep(ms);
  world.proxy.faults = world.usualNetwork;
  return true;
}

function runningDriver(drivers: readonly Driver[], which: number): Driver | undefined {
  return pick(
    drivers.filter(({ process: program }) => program?.isUp === true),
    which,
  );
}

async function endDriver({ drivers }: Scene, which: number, signal: NodeJS.Signals): Promise<boolean> {
  const driver = runningDriver(drivers, which);
  if (driver === undefined) return false;
  await driver.process!.end(signal);
  return true;
}

/** It takes one order at a time. */
async function withPostgres(
  world: World,
  work: (postgres: NonNullable<World['postgres']>) => Promise<void>,
): Promise<boolean> {
  if (world.isPostgresBusy) return false;
  world.isPostgresBusy = true;
  await work(world.postgres!);
  world.isPostgresBusy = false;
  return true;
}

function restartPostgres(world: World, how: 'kill' | 'stop', ms: number): Promise<boolean> {
  return withPostgres(world, async (postgres) => {
    await postgres[how]();
    await sleep(ms / 4);
    await postgres.start();
  });
}

async function setClock(clock: { set(jumpMs: number): void }, jumpMs: number, ms: number): Promise<true> {
  clock.set(jumpMs);
  await sleep(ms);
  return true;
}

async function fill(disk: SmallDisk, ms: number): Promise<true> {
  disk.fill();
  await sleep(ms);
  disk.empty();
  return true;
}
