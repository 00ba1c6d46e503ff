import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import { networkFileSystem } from '../../engine/open-engine.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import { loadStarter } from '../../worker/launcher/start/load-starter.ts';
import type { Check } from '../texts/lists/checks.ts';

const OLDEST_NODE = [20, 19] as const;
const LOW_DISK_BYTES = 1024 ** 3;
const LEAST_DISK_BYTES = 64 * 1024 ** 2;
const LARGEST_SKEW_MS = 2000;
const FEW_FILES = 1024;
const FEW_PROCESSES = 1024;

type Finding = Omit<Check, 'name'>;

const ok = (detail: string): Finding => ({ result: 'ok', detail, hint: null });
const warn = (detail: string, hint: string): Finding => ({ result: 'warn', detail, hint });
const fail = (detail: string, hint: string): Finding => ({ result: 'fail', detail, hint });

/** Everything a run needs from this machine, each with the way out where it is missing. Leaves nothing behind. */
export async function checkMachine(stateDir: string): Promise<Check[]> {
  const place = nearestExisting(stateDir);
  const checks: [string, () => Finding][] = [
    ['node', checkNode],
    ['bash', checkBash],
    ['process start', checkProcessStart],
    ['sqlite', checkSqlite],
    ['state directory', () => checkStateDirectory(stateDir, place)],
    ['disk space', () => checkDisk(place)],
    ['clock', () => checkClock(place)],
    ['open files', () => checkLimit('Max open files', FEW_FILES, 'ulimit -n 4096')],
    ['processes', () => checkLimit('Max processes', FEW_PROCESSES, 'ulimit -u 4096')],
  ];
  return checks.map(([name, check]) => ({ name, ...check() }));
}

/** The directory itself, or the one it would be made in. */
function nearestExisting(path: string): string {
  let place = path;
  while (!existsSync(place)) place = dirname(place);
  return place;
}

function checkNode(): Finding {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld
    ? fail(process.version, `install Node ${OLDEST_NODE.join('.')} or newer`)
    : ok(`${process.version} on ${process.platform} ${process.arch}`);
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

function checkStateDirectory(stateDir: string, place: string): Finding {
  const kind = networkFileSystem(place);
  if (kind !== undefined) {
    return fail(`${stateDir} is on ${kind}`, 'name a local directory with --dir or HOLDFAST_DIR');
  }
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      `${place} is not writable`,
      'change its permissions, or name another with --dir or HOLDFAST_DIR',
    );
  }
  return ok(place === stateDir ? `${stateDir}, local and writable` : `${stateDir} can be made here`);
}

function checkDisk(place: string): Finding {
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const detail = `${formatSize(free)} free`;
  const hint = 'free some space: logs and state are written here';
  if (free < LEAST_DISK_BYTES) return fail(detail, hint);
  return free < LOW_DISK_BYTES ? warn(detail, hint) : ok(detail);
}

/** Leases compare times of processes and files; a file system with another clock would confuse them. */
function checkClock(place: string): Finding {
  for (const directory of [place, tmpdir()]) {
    const file = join(directory, `.holdfast-clock-${process.pid}`);
    try {
      writeFileSync(file, '');
      const skew = Math.abs(Date.now() - statSync(file).mtimeMs);
      const detail = `${new Date().toISOString()}, files agree within ${formatDuration(Math.ceil(skew))}`;
      return skew > LARGEST_SKEW_MS ? warn(detail, 'set the clock, e.g. with NTP') : ok(detail);
    } catch {
      // Not writable, which another check reports.
    } finally {
      rmSync(file, { force: true });
    }
  }
  return warn('no directory to compare with', 'make the state directory writable');
}

function checkLimit(name: string, few: number, command: string): Finding {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return ok('not known on this system');
  }
  const soft = new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(limits)?.[1] ?? 'unlimited';
  return soft !== 'unlimited' && Number(soft) < few
    ? warn(`limit ${soft}`, `raise it before large runs: ${command}`)
    : ok(`limit ${soft}`);
}
