import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { signalGroup } from '../kill/signal-process.ts';
import { LOG_FLAGS, LOG_MODE } from './log-file.ts';
import type { Starter } from './starter.ts';

/** The way that works everywhere: Node forks itself, which costs more the larger it is. */
export const nodeStarter: Starter = {
  name: 'child_process',
  start(
    { path, name = path, words, cwd, environment: { shared, own }, stdout, stderr },
    { started, exited, failed },
  ) {
    const logs = openLogs(stdout, stderr);
    try {
      const child = spawn(path, words, {
        argv0: name,
        cwd,
        env: { ...shared, ...own },
        detached: true,
        stdio: ['ignore', logs[0]!, logs.at(-1)!],
      });
      child.once('error', failed);
      child.once('spawn', () => started(child.pid!));
      child.once('exit', (code, signal) => exited({ code, signal }));
    } finally {
      for (const log of logs) closeSync(log);
    }
  },
  killGroup: (leader) => signalGroup(leader, 'SIGKILL'),
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
