import type { Engine } from '../../contract/engine.ts';
import type { AuditRecord } from '../../contract/records/records.ts';
import { historyText } from '../../views/requests/history-text.ts';

const SHOWN = 5;
const READ = 30;

/** The newest entries of the history of a request that have a line of their own, newest first. */
export async function newestHistory(engine: Engine, ref: string): Promise<AuditRecord[]> {
  const { items } = await engine.requestHistory(ref, { limit: READ });
  return items.filter((entry) => historyText(entry) !== null).slice(0, SHOWN);
}
