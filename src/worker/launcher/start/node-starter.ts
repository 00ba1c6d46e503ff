import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { LOG_FLAGS, LOG_MODE } from './log-file.ts';
import type { Starter } from './starter.ts';

/** The way that works everywhere: Node forks itself, which costs more the larger it is. */
export const nodeStarter: Starter = {
  name: 'child_process',
  start({ path, words, cwd, environment: { shared, own }, stdout, stderr }, { exited, failed }) {
    const logs = openLogs(stdout, stderr);
    try {
      const child = spawn(path, words, {
        cwd,
        env: { ...shared, ...own },
        detached: true,
        stdio: ['ignore', logs[0]!, logs.at(-1)!],
      });
      if (child.pid === undefined) {
        child.once('error', failed);
        return null;
      }
      child.once('exit', (code, signal) => exited({ code, signal }));
      return child.pid;
    } finally {
      for (const log of logs) closeSync(log);
    }
  },
};

/** One descriptor where both are the same file. */
function openLogs(stdout: string, stderr: string): number[] {
  const first = openSync(stdout, LOG_FLAGS, LOG_MODE);
  if (stderr === stdout) return [first];
  try {
    return [first, openSync(stderr, LOG_FLAGS, LOG_MODE)];
  } catch (error) {
    closeSync(first);
    throw error;
  }
}
