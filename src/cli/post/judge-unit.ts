import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostRecord } from '../../core/request/post-record.ts';

/**
 * The POST script of a unit, which is a DAG of its own: the abort code if one of its jobs aborted everything in this run,
 * so that the outer DAG is aborted, too; otherwise what the DAG of the unit exited with.
 */
export function judgeUnit(
  directory: string,
  run: number | null,
  returned: number,
  abortCode: number,
): number {
  if (returned !== 0 && readdirSync(directory).some((name) => isAbort(directory, name, run)))
    return abortCode;
  return returned >= 0 && returned <= 255 ? returned : 1;
}

function isAbort(directory: string, name: string, run: number | null): boolean {
  const [, ofRun] = /\.r(\d+)\.a\d+\.post\.json$/.exec(name) ?? [];
  if (ofRun === undefined || (run !== null && Number(ofRun) !== run)) return false;
  try {
    const record = JSON.parse(readFileSync(join(directory, name), 'utf8')) as PostRecord;
    return record.classification.action === 'abort';
  } catch {
    return false;
  }
}
