import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServedEngine } from '../contract/engine.ts';
import type { ServerErrandHandler } from '../contract/records/errand.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Subscriber } from '../core/notify/notify-model.ts';
import { makeDatabaseFiles, makeStateDirectory } from '../host/private-state.ts';
import { isOutOfSpace } from '../store/sqlite/is-out-of-space.ts';
import { defaultFreeBytes } from '../store/sqlite/prepare-upgrade.ts';
import { SqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { PauseFor } from './exchange/renewal-queue.ts';
import { LocalEngine } from './local-engine.ts';
import { WakeChannel } from './wake/wake-channel.ts';

export interface OpenOptions {
  /** The state directory. */
  dir: string;
  /** Make it if it is not there; otherwise that is an error. */
  create: boolean;
  /** `postgres://…`: the state is there, and not in the directory. */
  databaseUrl?: string;
  /** Instead of the clock of the system or, on PostgreSQL, of the database. */
  clock?: () => number;
  /** A clock that cannot be set, in milliseconds (default: that of the system; with `clock`, the same as it). */
  monotonic?: () => number;
  /** How a server does errands itself; each kind by one handler. */
  serverErrands?: readonly ServerErrandHandler[] | undefined;
  /** How long bans by hand last (default: 7 days). */
  siteBanDays?: number;
  /** PostgreSQL alone: upgrades a schema of an older version, which is refused otherwise. */
  mayUpgrade?: boolean;
  /** A database file was upgraded; as it was before it is in this file. */
  onUpgrade?: (copy: string) => void;
  /** Targets of the configuration that are notified of everything that this process drives. */
  subscribers?: readonly Subscriber[];
}

/** A clock that is moved by hand does not advance while something waits. */
const PASSING: PauseFor = async () => {};

/** Opens the engine embedded in this process: on PostgreSQL, or on the SQLite database of a state directory. */
export async function openEngine(options: OpenOptions): Promise<ServedEngine> {
  const { dir, create, databaseUrl, clock, serverErrands, siteBanDays, subscribers } = options;
  const stateDir = resolve(dir);
  const monotonic = options.monotonic ?? clock;
  const pause = clock && PASSING;
  const settings = { serverErrands, siteBanDays, stateDir, subscribers, monotonic, pause };
  if (databaseUrl !== undefined) {
    // Those who have no PostgreSQL do not wait for its driver to be loaded.
    const { openPostgres } = await import('./open-postgres.ts');
    const { store, wake } = await openPostgres(databaseUrl, clock, options.mayUpgrade === true);
    return new LocalEngine(store, wake, settings);
  }
  const path = join(stateDir, 'holdfast.db');
  if (!create && !existsSync(path)) throw new HoldfastError('NO_STATE', { path: stateDir });
  try {
    makeStateDirectory(stateDir);
    accessSync(stateDir, constants.W_OK);
  } catch (error) {
    throw new HoldfastError('STATE_UNUSABLE', { path: stateDir, problem: (error as Error).message }, error);
  }
  const kind = networkFileSystem(stateDir);
  if (kind !== undefined) throw new HoldfastError('NETWORK_FILE_SYSTEM', { path: stateDir, kind });
  try {
    makeDatabaseFiles(path);
    const store = new SqliteStore(path, clock);
    if (store.upgradeCopy !== null) options.onUpgrade?.(store.upgradeCopy);
    return new LocalEngine(store, new WakeChannel(stateDir), settings);
  } catch (error) {
    if (error instanceof HoldfastError && error.code !== 'STORE_FAILED') throw error;
    if (isOutOfSpace(error, () => defaultFreeBytes(stateDir)))
      throw new HoldfastError('DISK_FULL', { problem: (error as Error).message }, error);
    throw new HoldfastError('STATE_UNUSABLE', { path, problem: (error as Error).message }, error);
  }
}

/** An engine of which nothing is kept, for those who want to see what would happen. */
export function openMemoryEngine(clock: () => number): ServedEngine {
  // Nobody else can open it, so that there is never anybody to wake.
  const store = new SqliteStore(':memory:', clock);
  return new LocalEngine(store, new WakeChannel(':memory:'), { monotonic: clock, pause: PASSING });
}

/** Magic numbers of statfs(2) for file systems on which SQLite's locks do not hold. */
const NETWORK_TYPES = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9P'],
]);

/** The kind of network file system the path is on; undefined if it is local or not known. */
function networkFileSystem(path: string): string | undefined {
  try {
    return networkKind(statfsSync(path).type);
  } catch {
    return undefined;
  }
}

/** By the type that statfs(2) gives; undefined if it is local or not known. Other systems number them differently. */
export function networkKind(type: number): string | undefined {
  return process.platform === 'linux' ? NETWORK_TYPES.get(type >>> 0) : undefined;
}
