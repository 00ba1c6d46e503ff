import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PostRecord } from '../../../core/request/post-record.ts';

const NAME = /^(.+)\.r(\d+)\.a(\d+)\.post\.json$/;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Records of a directory, of all runs or of one, in the order in which their attempts ended. `choose` is asked about each
 * file: null skips it, else the result is called when the file was read.
 */
export function readPostRecords(
  directory: string,
  run: number | null,
  choose: (name: string) => (() => void) | null = () => () => {},
): { records: PostRecord[]; unreadable: string[] } {
  const records: PostRecord[] = [];
  const unreadable: string[] = [];
  for (const name of fileNames(directory)) {
    const [, , ofRun] = NAME.exec(name) ?? [];
    if (ofRun === undefined || (run !== null && Number(ofRun) !== run)) continue;
    const chosen = choose(name);
    if (chosen === null) continue;
    const record = readRecord(join(directory, name));
    if (record === null) unreadable.push(name);
    else {
      records.push(record);
      chosen();
    }
  }
  return { records: records.sort(byTime), unreadable };
}

/** In the order in which attempts ended. */
export function byTime(a: PostRecord, b: PostRecord): number {
  return (
    a.timestamp.localeCompare(b.timestamp) ||
    a.run - b.run ||
    a.attempt - b.attempt ||
    (a.node_name < b.node_name ? -1 : 1)
  );
}

/** null: it is damaged, or none of ours. */
function readRecord(path: string): PostRecord | null {
  try {
    const { size } = statSync(path);
    if (size > MOST_BYTES) return null;
    const record = JSON.parse(readFileSync(path, 'utf8')) as PostRecord;
    const isWhole =
      typeof record.node_name === 'string' &&
      typeof record.timestamp === 'string' &&
      typeof record.run === 'number' &&
      typeof record.attempt === 'number' &&
      typeof record.final === 'boolean' &&
      typeof record.job === 'object' &&
      typeof record.classification?.action === 'string' &&
      typeof record.log_tail === 'string';
    return isWhole ? record : null;
  } catch {
    return null;
  }
}

/** Empty where the directory cannot be read: a unit that never ran may have none. */
export function fileNames(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
