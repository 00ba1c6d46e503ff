import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeNameProblem, type PostRecord, recordFiles } from '../../core/request/post-record.ts';

/** Writes the record of an attempt and the copy of the newest. Returns what kept it from that; null if nothing did. */
export async function writePostRecord(directory: string, record: PostRecord): Promise<string | null> {
  const problem = nodeNameProblem(record.node_name);
  if (problem !== null) return `the post record was not written: ${problem}`;
  const files = recordFiles(record);
  const text = `${JSON.stringify(record, null, 2)}\n`;
  try {
    await mkdir(directory, { recursive: true });
    await replaceFile(join(directory, files.own), text);
    await replaceFile(join(directory, files.newest), text);
    return null;
  } catch (error) {
    return `the post record was not written: ${(error as Error).message}`;
  }
}

/** Readers see the whole file or none. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}
