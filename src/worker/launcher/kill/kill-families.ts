import { setTimeout as sleep } from 'node:timers/promises';
import { findUnborn } from './find-unborn.ts';
import { ProcessFamilies } from './process-families.ts';
import { signalProcess } from './signal-process.ts';

const LOOK_EVERY_MS = 25;
const GIVE_UP_AFTER_MS = 10_000;

/**
 * Kills all that is left of attempts whose launcher died: main pid by token, null where it is not known. `launchers`
 * with the same prefix live; they are asked for at every look, because new ones are started meanwhile.
 */
export async function killFamilies(
  markerPrefix: string,
  mainPids: ReadonlyMap<number, number | null>,
  launchers: () => ReadonlySet<number> = () => new Set(),
): Promise<void> {
  const families = new ProcessFamilies(markerPrefix);
  for (const [token, pid] of mainPids) families.add(token, pid);
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  // Nothing found twice in a row is the end: a process can fork into a pid that one look has already passed.
  for (let quiet = 0; quiet < 2 && performance.now() < giveUpAt; ) {
    // Before the families: what becomes its command in between has its marker when they are looked at.
    const unborn = findUnborn(markerPrefix, launchers());
    const left = [...unborn, ...[...families.look().values()].flat().map(({ pid }) => pid)];
    for (const pid of left) signalProcess(pid, 'SIGKILL');
    quiet = left.length === 0 ? quiet + 1 : 0;
    await sleep(LOOK_EVERY_MS);
  }
}
