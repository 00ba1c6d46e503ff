import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProcessAlive, type ProcessIdentity } from './process-identity.ts';

/** Longest path that a Unix socket can have on every platform. */
const MAX_SOCKET_PATH = 100;
/** As long as the name of every launcher. */
const SOME_SOCKET = '00000000.sock';

/** Where the launchers of the worker with this state directory have their notes and sockets. */
export function launcherDirectory(stateDir: string): string {
  const beside = join(stateDir, 'launchers');
  if (join(beside, SOME_SOCKET).length <= MAX_SOCKET_PATH) return beside;
  const hash = createHash('sha256').update(stateDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `holdfast-launchers-${hash}`);
}

/** Whether a launcher of the worker with this state directory lives; undefined if this process cannot see. */
export function hasLiveLauncher(stateDir: string): boolean | undefined {
  const directory = launcherDirectory(stateDir);
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as ProcessIdentity)
      .some((launcher) => isProcessAlive(launcher) !== false);
  } catch {
    return undefined;
  }
}
