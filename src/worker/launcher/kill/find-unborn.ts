import { readProcessTable } from './process-table.ts';

/**
 * Processes that a dead launcher had forked and that have not become their command yet. Until then a child shows the
 * environment and the command line of the launcher, which has the prefix of its markers as an argument; nothing else
 * shows to which attempt it belongs. `launchers` live: they and their children are left alone.
 */
export function findUnborn(markerPrefix: string, launchers: ReadonlySet<number>): number[] {
  const { processes, command } = readProcessTable(launchers);
  return [...processes.values()]
    .filter(({ parent, pid }) => !launchers.has(parent) && command(pid).includes(markerPrefix))
    .map(({ pid }) => pid);
}
