import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

export interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Shows that a pid was reused; only good for comparing. */
  startTime: string;
  rssBytes: number;
  /** Of the process and the children it has waited for. */
  cpuSeconds: number;
}

interface ProcessTable {
  /** Every pid that exists. */
  pids: number[];
  /** The living ones by pid, zombies and the skipped left out. */
  processes: Map<number, ProcessInfo>;
  /** The environment of a process: '' if it shows none at the moment, null if it is not ours to read. */
  environment(pid: number): string | null;
  /** The words of its command line; none if the process has gone or is not ours to read. */
  command(pid: number): string[];
}

/** One look at the machine. What is in `skip` is listed, but not read. */
export function readProcessTable(skip: ReadonlySet<number>): ProcessTable {
  return process.platform === 'darwin' ? readWithPs(skip) : readProc(skip);
}

function readProc(skip: ReadonlySet<number>): ProcessTable {
  const pids: number[] = [];
  const processes = new Map<number, ProcessInfo>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    pids.push(pid);
    if (skip.has(pid)) continue;
    const info = parseStat(pid, readSmall(`/proc/${pid}/stat`));
    if (info) processes.set(pid, info);
  }
  return { pids, processes, environment: readEnvironment, command: readCommand };
}

function readEnvironment(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return null;
  }
}

function readCommand(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

const scratch = Buffer.allocUnsafe(4096);

/** A file of /proc in three system calls; '' if the process has gone. */
function readSmall(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    return scratch.toString('latin1', 0, readSync(fd, scratch));
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}

const DEFAULT_UNITS = { pageBytes: 4096, ticksPerSecond: 100 };
let units: typeof DEFAULT_UNITS | undefined;

/** What the kernel counts memory and time in, as it gave them to this process when it started. */
function kernelUnits(): typeof DEFAULT_UNITS {
  if (units) return units;
  units = { ...DEFAULT_UNITS };
  try {
    const auxv = readFileSync('/proc/self/auxv');
    for (let at = 0; at + 16 <= auxv.length; at += 16) {
      const value = Number(auxv.readBigUInt64LE(at + 8));
      const key = auxv.readBigUInt64LE(at);
      if (key === 6n) units.pageBytes = value;
      if (key === 17n) units.ticksPerSecond = value;
    }
  } catch {
    // Not readable here; the defaults hold almost everywhere.
  }
  return units;
}

function parseStat(pid: number, stat: string): ProcessInfo | null {
  // The name of the program, in parentheses, may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 22 || fields[0] === 'Z' || fields[0] === 'X') return null;
  const at = (index: number) => Number(fields[index]);
  const { pageBytes, ticksPerSecond } = kernelUnits();
  return {
    pid,
    parent: at(1),
    group: at(2),
    session: at(3),
    startTime: fields[19]!,
    rssBytes: at(21) * pageBytes,
    cpuSeconds: (at(11) + at(12) + at(13) + at(14)) / ticksPerSecond,
  };
}

/** macOS has no /proc, and its ps does not list sessions: the group stands for them. */
function readWithPs(skip: ReadonlySet<number>): ProcessTable {
  const pids: number[] = [];
  const processes = new Map<number, ProcessInfo>();
  for (const line of ps(['-axo', 'pid=,ppid=,pgid=,rss=,time=,stat=,lstart='])) {
    const [pid, parent, group, rss, time, state, ...start] = line.trim().split(/\s+/);
    pids.push(Number(pid));
    if (skip.has(Number(pid)) || state?.startsWith('Z')) continue;
    processes.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      startTime: start.join(' '),
      rssBytes: Number(rss) * 1024,
      cpuSeconds: (time ?? '0').split(':').reduce((sum, part) => sum * 60 + Number(part), 0),
    });
  }
  let environments: Map<number, string> | undefined;
  const environment = (pid: number) => {
    environments ??= new Map(
      ps(['-axEww', '-o', 'pid=,command=']).map((line) => [Number.parseInt(line, 10), line]),
    );
    return environments.get(pid) ?? null;
  };
  const command = (pid: number) =>
    ps(['-ww', '-o', 'command=', '-p', String(pid)])
      .join(' ')
      .split(' ');
  return { pids, processes, environment, command };
}

function ps(args: string[]): string[] {
  const text = execFileSync('ps', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return text.split('\n').filter((line) => line.trim() !== '');
}
