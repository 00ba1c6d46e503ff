import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { HoldfastError } from '../../core/errors.ts';
import { launcherDirectory } from '../../host/launcher-notes.ts';
import { makeDirectory } from '../../host/make-directory.ts';

/** The process, so that one that does not answer can be distinguished from another with its number. */
interface LauncherNote {
  host: string;
  boot_id: string;
  pid: number;
  start_time: string;
  marker_prefix: string;
}

export interface LauncherPlace {
  socketPath: string;
  notePath: string;
}

/** Where the launchers of a worker can be found by the next one. Only its owner gets in. */
export class LauncherDirectory {
  readonly #path: string;

  constructor(stateDir: string) {
    this.#path = launcherDirectory(stateDir);
  }

  /** A place for a launcher that is about to be started. */
  newPlace(): LauncherPlace {
    makeDirectory(this.#path, 0o700);
    this.#refuseForeign();
    return this.#place(shortName());
  }

  /** Every launcher that was noted, alive or not. */
  list(): { place: LauncherPlace; note: LauncherNote }[] {
    let names: string[];
    try {
      names = readdirSync(this.#path);
    } catch {
      return [];
    }
    this.#refuseForeign();
    return names.flatMap((name) => {
      if (!name.endsWith('.json')) return [];
      const place = this.#place(name.slice(0, -'.json'.length));
      try {
        return { place, note: JSON.parse(readFileSync(place.notePath, 'utf8')) as LauncherNote };
      } catch {
        return [];
      }
    });
  }

  #place(name: string): LauncherPlace {
    return { socketPath: join(this.#path, `${name}.sock`), notePath: join(this.#path, `${name}.json`) };
  }

  /** In a directory that is everybody's, another user could have made one of this name. */
  #refuseForeign(): void {
    const facts = lstatSync(this.#path);
    if (facts.isDirectory() && facts.uid === userInfo().uid && (facts.mode & 0o077) === 0) return;
    const problem = 'it must be a directory that only its owner can enter (chmod 700)';
    throw new HoldfastError('STATE_UNUSABLE', { path: this.#path, problem });
  }
}

export function noteLauncher({ notePath }: LauncherPlace, note: LauncherNote): void {
  writeFileSync(notePath, JSON.stringify(note), { mode: 0o600 });
}

export function removePlace({ socketPath, notePath }: LauncherPlace): void {
  rmSync(socketPath, { force: true });
  rmSync(notePath, { force: true });
}

function shortName(): string {
  return randomUUID().slice(0, 8);
}
