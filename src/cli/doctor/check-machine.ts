import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import { networkKind } from '../../engine/open-engine.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import { loadStarter } from '../../worker/launcher/start/load-starter.ts';
import type { Check } from '../texts/lists/checks.ts';
import { type MachineFacts, THIS_MACHINE } from './machine-facts.ts';

const OLDEST_NODE = [20, 19] as const;
const LOW_DISK_BYTES = 1024 ** 3;
const LEAST_DISK_BYTES = 64 * 1024 ** 2;
const LOW_FILES = 10_000;
const LEAST_FILES = 100;
const LARGEST_SKEW_MS = 2000;
const FEW_FILES = 1024;
const FEW_PROCESSES = 1024;

type Finding = Omit<Check, 'name'>;

const ok = (detail: string): Finding => ({ result: 'ok', detail, hint: null });
const warn = (detail: string, hint: string): Finding => ({ result: 'warn', detail, hint });
const fail = (detail: string, hint: string): Finding => ({ result: 'fail', detail, hint });

interface State {
  stateDir: string;
  /** SQLite keeps it here; otherwise a server or PostgreSQL has it. */
  isHere: boolean;
}

/** Everything a run needs from this machine, each with the way out where it is missing. Leaves nothing behind. */
export function checkMachine(state: State, machine: MachineFacts = THIS_MACHINE): Check[] {
  const place = nearestExisting(state.stateDir);
  const checks: [string, () => Finding][] = [
    ['node', () => checkNode(machine)],
    ['bash', checkBash],
    ['process start', checkProcessStart],
    ['sqlite', checkSqlite],
    ['state directory', () => checkStateDirectory(state, place, machine)],
    ['disk space', () => checkDisk(place, machine)],
    ['clock', () => checkClock(place, machine)],
    ['open files', () => checkLimit(machine, 'Max open files', FEW_FILES, 'ulimit -n 4096')],
    ['processes', () => checkProcesses(machine)],
  ];
  return checks.map(([name, check]) => ({ name, ...check() }));
}

/** The directory itself, or the one it would be made in. */
export function nearestExisting(path: string): string {
  let place = path;
  while (!existsSync(place)) place = dirname(place);
  return place;
}

function checkNode({ nodeVersion }: MachineFacts): Finding {
  const [major, minor] = nodeVersion.split('.').map(Number) as [number, number];
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld
    ? fail(`v${nodeVersion}`, `install Node ${OLDEST_NODE.join('.')} or newer`)
    : ok(`v${nodeVersion} on ${process.platform} ${process.arch}`);
}

function checkBash(): Finding {
  const { status, stdout } = spawnSync('bash', ['--norc', '-c', 'echo "$BASH_VERSION"'], {
    encoding: 'utf8',
  });
  return status === 0
    ? ok(stdout.trim())
    : fail('not found on PATH', 'install bash: commands of jobs run in it');
}

function checkProcessStart(): Finding {
  const { name } = loadStarter();
  return ok(name === 'posix_spawn' ? name : `${name}: jobs start more slowly than with posix_spawn`);
}

function checkSqlite(): Finding {
  try {
    const database = openDatabase(':memory:');
    const [row] = database.prepare('select sqlite_version() as version').all() as { version: string }[];
    database.close();
    return ok(row!.version);
  } catch (error) {
    return fail((error as Error).message.split('\n')[0]!, 'install Holdfast again with npm on this machine');
  }
}

function checkStateDirectory({ stateDir, isHere }: State, place: string, machine: MachineFacts): Finding {
  const kind = networkKind(machine.fileSystem(place).type);
  if (kind !== undefined && isHere) {
    return fail(
      `${stateDir} is on ${kind}, where the locks of SQLite do not hold`,
      'name a local directory with --dir or HOLDFAST_DIR',
    );
  }
  if (!machine.canWrite(place)) {
    return fail(
      `${place} is not writable`,
      'change its permissions, or name another with --dir or HOLDFAST_DIR',
    );
  }
  if (place !== stateDir) return ok(`${stateDir} can be made here`);
  return ok(`${stateDir}, ${kind === undefined ? 'local' : `on ${kind}`} and writable`);
}

function checkDisk(place: string, machine: MachineFacts): Finding {
  const { bavail, bsize, files, ffree } = machine.fileSystem(place);
  const free = bavail * bsize;
  const detail = `${formatSize(free)} free`;
  const hint = 'free some space: logs and state are written here';
  if (free < LEAST_DISK_BYTES) return fail(detail, hint);
  // Some file systems have no fixed number of files.
  if (files > 0 && ffree < LOW_FILES) {
    const room = `${detail}, and room for ${ffree} more files`;
    const way = 'delete files: each attempt writes its logs into new ones';
    return ffree < LEAST_FILES ? fail(room, way) : warn(room, way);
  }
  return free < LOW_DISK_BYTES ? warn(detail, hint) : ok(detail);
}

/** Leases compare times of processes and files; a file system with another clock would confuse them. */
function checkClock(place: string, machine: MachineFacts): Finding {
  for (const directory of [place, tmpdir()]) {
    const file = join(directory, `.holdfast-clock-${process.pid}`);
    try {
      writeFileSync(file, '');
      const skew = Math.abs(machine.now() - statSync(file).mtimeMs);
      const detail = `${new Date(machine.now()).toISOString()}, files agree within ${formatDuration(Math.ceil(skew))}`;
      return skew > LARGEST_SKEW_MS ? warn(detail, 'set the clock, e.g. with NTP') : ok(detail);
    } catch {
      // Not writable, which another check reports.
    } finally {
      rmSync(file, { force: true });
    }
  }
  return warn('no directory to compare with', 'make the state directory writable');
}

function checkProcesses(machine: MachineFacts): Finding {
  const limit = machine.groupProcesses();
  return limit !== null && limit < FEW_PROCESSES
    ? warn(
        `limit ${limit} of its control group`,
        'raise it before large runs: pids.max, or --pids-limit of a container',
      )
    : checkLimit(machine, 'Max processes', FEW_PROCESSES, 'ulimit -u 4096');
}

function checkLimit(machine: MachineFacts, name: string, few: number, command: string): Finding {
  const limits = machine.limits();
  if (limits === null) return ok('not known on this system');
  const soft = new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(limits)?.[1] ?? 'unlimited';
  return soft !== 'unlimited' && Number(soft) < few
    ? warn(`limit ${soft}`, `raise it before large runs: ${command}`)
    : ok(`limit ${soft}`);
}
