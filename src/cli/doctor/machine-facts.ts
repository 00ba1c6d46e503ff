import { accessSync, constants, readFileSync, type StatsFs, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** What `doctor` reads of a machine, so that tests can have a broken one. */
export interface MachineFacts {
  nodeVersion: string;
  now(): number;
  fileSystem(path: string): Pick<StatsFs, 'type' | 'bavail' | 'bsize' | 'files' | 'ffree'>;
  canWrite(directory: string): boolean;
  /** The limits of this process as Linux lists them; null: not known on this system. */
  limits(): string | null;
  /** The lowest limit of processes of its control groups, as of a container or a service; null: none is known. */
  groupProcesses(): number | null;
}

/** A group is below those that limit it too; where it is shown as `/`, the files of the root are its own. */
function groupProcesses(): number | null {
  const limits = readOr('/proc/self/cgroup', '')
    .split('\n')
    .flatMap((line) => {
      const [, kind, path] = line.split(':');
      if (path === undefined || (kind !== '' && kind !== 'pids')) return [];
      const root = kind === '' ? '/sys/fs/cgroup' : '/sys/fs/cgroup/pids';
      const parts = path.split('/').filter((part) => part !== '');
      return parts.concat('').map((_, index) => join(root, ...parts.slice(0, index), 'pids.max'));
    })
    .map((file) => Number.parseInt(readOr(file, 'max'), 10))
    .filter((limit) => !Number.isNaN(limit));
  return limits.length === 0 ? null : Math.min(...limits);
}

function readOr<T>(file: string, otherwise: T): string | T {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

export const THIS_MACHINE: MachineFacts = {
  nodeVersion: process.versions.node,
  now: Date.now,
  fileSystem: (path) => statfsSync(path),
  canWrite: (directory) => {
    try {
      accessSync(directory, constants.W_OK | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
  limits: () => readOr('/proc/self/limits', null),
  groupProcesses,
};
