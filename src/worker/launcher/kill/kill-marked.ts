import { killFamilies } from './kill-families.ts';
import { markedToken } from './marker.ts';
import { readProcessTable } from './process-table.ts';

/** Kills what carries the marker of a launcher of which nothing else is known. `launchers` may live. */
export async function killMarked(markerPrefix: string, launchers: ReadonlySet<number>): Promise<void> {
  const { processes, environment } = readProcessTable(new Set());
  const tokens = new Map<number, null>();
  for (const pid of processes.keys()) {
    const token = markedToken(environment(pid) ?? '', markerPrefix);
    if (token !== null) tokens.set(token, null);
  }
  await killFamilies(markerPrefix, tokens, () => launchers);
}
