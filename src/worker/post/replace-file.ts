import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file so that readers see the whole of it or none. */
export type ReplacesFile = (path: string, text: string) => Promise<void> | void;

export async function replaceFile(path: string, text: string): Promise<void> {
  const { open, rename, rm } = await import('node:fs/promises');
  const temporary = nameBeside(path);
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

/** For a program that has nothing else to do: it starts no threads. */
export function replaceFileBlocking(path: string, text: string): void {
  const temporary = nameBeside(path);
  try {
    const file = openSync(temporary, 'w');
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const nameBeside = (path: string) => `${path}.${process.pid}.tmp`;
