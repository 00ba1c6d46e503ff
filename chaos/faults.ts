import { setTimeout as sleep } from 'node:timers/promises';
import { kill } from '../test/kill-process.ts';
import type { Driver } from './driver.ts';
import type { Random } from './random.ts';
import { type Database, LEASE_MS, type World } from './world.ts';

/** Faults that last longer than a lease come less often. */
const WEIGHTS = {
  'kill server': 3,
  'pause server': 2,
  'end server': 1,
  'kill worker': 4,
  'pause worker': 2,
  'fence worker': 1,
  'kill launcher': 3,
  'pause launcher': 2,
  'cut network': 2,
  'kill driver': 4,
  'pause driver': 1,
  'interrupt driver': 2,
  'kill postgres': 1,
  'stop postgres': 1,
  'set server clock': 2,
  'set worker clock': 2,
  'fill state disk': 2,
  'fill output disk': 2,
  'fill driver disk': 2,
} as const;

export type FaultKind = keyof typeof WEIGHTS;

/** What to break, chosen before anything runs, so that a seed gives the same list again. */
export interface Fault {
  kind: FaultKind;
  /** Which of several servers, workers, launchers or drivers. */
  which: number;
  ms: number;
  /** Of a clock. */
  jumpMs: number;
}

/** What is due by a clock that is then set back comes later by as much, so that large ones cost the campaign time. */
const CLOCK_JUMPS_MS = [-20_000, -8_000, -3_000, 3_000, 8_000, 20_000, 75_000];
const SMALL_JUMPS_MS = [-2_000, 2_000];

/** Faults that a world of this kind can have. `quick` leaves out those that outlast a lease. */
export function chooseFaults(
  random: Random,
  {
    count,
    database,
    hasDisks,
    quick,
  }: { count: number; database: Database; hasDisks: boolean; quick: boolean },
): Fault[] {
  const kinds = (Object.entries(WEIGHTS) as [FaultKind, number][])
    .filter(([kind]) => {
      if (kind.endsWith('postgres')) return database === 'postgres';
      if (kind === 'fill state disk') return hasDisks && database === 'sqlite';
      if (kind.startsWith('fill')) return hasDisks;
      return !(quick && kind === 'fence worker');
    })
    .flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));
  return Array.from({ length: count }, () => ({
    kind: random.pick(kinds),
    which: random.int(0, 1_000_000),
    ms: random.int(100, quick ? 600 : 2_000),
    jumpMs: random.pick(quick ? SMALL_JUMPS_MS : CLOCK_JUMPS_MS),
  }));
}

/** One thing breaks and is put right after a while. False: there was nothing to break. */
export async function inject(fault: Fault, world: World, drivers: readonly Driver[]): Promise<boolean> {
  const { kind, which, ms } = fault;
  const of = <T>(list: readonly T[]): T | undefined => list[which % Math.max(1, list.length)];
  const server = of(world.servers)!;
  const worker = of(world.workers)!;
  const launcher = of(world.pids('dist/launcher.cjs'));
  const driver = of(drivers.filter(({ process: running }) => running?.isUp === true));
  switch (kind) {
    case 'kill server':
      await server.end('SIGKILL');
      await sleep(ms / 2);
      server.start();
      return true;
    case 'end server':
      await server.end('SIGTERM');
      server.start();
      return true;
    case 'pause server':
      server.pause();
      await sleep(ms);
      server.unpause();
      return true;
    case 'kill worker':
      await worker.end('SIGKILL');
      await sleep(ms);
      worker.start();
      return true;
    case 'pause worker':
      worker.pause();
      await sleep(ms);
      worker.unpause();
      return true;
    case 'fence worker':
      worker.pause();
      await sleep(LEASE_MS + ms);
      worker.unpause();
      return true;
    case 'kill launcher':
      if (launcher === undefined) return false;
      kill(launcher);
      return true;
    case 'pause launcher':
      if (launcher === undefined) return false;
      kill(launcher, 'SIGSTOP');
      await sleep(ms * 2);
      kill(launcher, 'SIGCONT');
      return true;
    case 'cut network': {
      const before = world.proxy.faults;
      world.proxy.faults = { drop: 1, dropAnswer: 0, double: 0, delayMs: 0 };
      await sleep(ms * 2);
      world.proxy.faults = before;
      return true;
    }
    case 'kill driver':
      if (driver === undefined) return false;
      await driver.process!.end('SIGKILL');
      return true;
    case 'interrupt driver':
      if (driver === undefined) return false;
      await driver.process!.end('SIGINT');
      return true;
    case 'pause driver': {
      if (driver === undefined) return false;
      const paused = driver.process!;
      paused.pause();
      await sleep(ms);
      paused.unpause();
      return true;
    }
    case 'kill postgres':
    case 'stop postgres':
      if (world.isPostgresBusy) return false;
      world.isPostgresBusy = true;
      await (kind === 'kill postgres' ? world.postgres!.kill() : world.postgres!.stop());
      await sleep(ms / 4);
      await world.postgres!.start();
      world.isPostgresBusy = false;
      return true;
    case 'set server clock':
      world.serverClock.set(fault.jumpMs);
      await sleep(ms);
      return true;
    case 'set worker clock':
      world.workerClock.set(fault.jumpMs);
      await sleep(ms);
      return true;
    case 'fill state disk':
    case 'fill output disk': {
      const disk = kind === 'fill state disk' ? world.stateDisk! : world.outputDisk!;
      disk.fill();
      await sleep(ms * 2);
      disk.empty();
      return true;
    }
    case 'fill driver disk': {
      if (driver === undefined || driver.disk === null) return false;
      driver.disk.fill();
      driver.disturb();
      await sleep(ms);
      // Whoever was started in between has seen it full, too.
      driver.disk.empty();
      driver.disturb();
      return true;
    }
  }
}
