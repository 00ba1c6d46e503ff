import { accessSync, constants, readFileSync, type StatsFs, statfsSync } from 'node:fs';

/** What `doctor` reads of a machine, so that tests can have a broken one. */
export interface MachineFacts {
  nodeVersion: string;
  now(): number;
  fileSystem(path: string): Pick<StatsFs, 'type' | 'bavail' | 'bsize'>;
  canWrite(directory: string): boolean;
  /** The limits of this process as Linux lists them; null: not known on this system. */
  limits(): string | null;
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
  limits: () => {
    try {
      return readFileSync('/proc/self/limits', 'utf8');
    } catch {
      return null;
    }
  },
};
