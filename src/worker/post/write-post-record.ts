import { join } from 'node:path';
import { nodeNameProblem, type PostRecord, recordFiles } from '../../core/request/post-record.ts';
import { makeDirectory } from '../../host/make-directory.ts';
import { type ReplacesFile, replaceFile } from './replace-file.ts';

/** Writes the record of an attempt and the copy of the newest. Returns what kept it from that; null if nothing did. */
export async function writePostRecord(
  directory: string,
  record: PostRecord,
  replace: ReplacesFile = replaceFile,
): Promise<string | null> {
  const problem = nodeNameProblem(record.node_name);
  if (problem !== null) return `the post record was not written: ${problem}`;
  const files = recordFiles(record);
  const text = `${JSON.stringify(record, null, 2)}\n`;
  try {
    makeDirectory(directory);
    await replace(join(directory, files.own), text);
    await replace(join(directory, files.newest), text);
    return null;
  } catch (error) {
    return `the post record was not written: ${(error as Error).message}`;
  }
}
