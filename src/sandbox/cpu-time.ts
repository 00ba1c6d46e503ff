import { readFileSync, readlinkSync } from 'node:fs';

/** Linux reports CPU times to programs in hundredths of a second on all machines. */
const TICK_MS = 10;

/** By which another thread of this process can ask for the CPU time of the calling one; null where there is no way. */
export function ownThreadId(): number | null {
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isFinite(readCpuMs(threadId)) ? threadId : null;
  } catch {
    return null;
  }
}

/**
 * CPU time that a thread has used so far, in ms; Infinity if there is no such thread. Where threads cannot be seen
 * one by one it is that of the whole process: too much while another thread works, but on a starved machine both stand
 * still.
 */
export function readCpuMs(threadId: number | null): number {
  if (threadId === null) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  try {
    const stat = readFileSync(`/proc/self/task/${threadId}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
