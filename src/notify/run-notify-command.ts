import { spawn } from 'node:child_process';
import { harmlessLine } from '../core/text/harmless-line.ts';

const MOST_OUTPUT = 2_000;
const SHOWN_OUTPUT = 200;

/**
 * Runs a command with the message as JSON on stdin. Nothing of the message is part of the command. When the signal is
 * aborted, the command and what it started are killed.
 */
export async function runNotifyCommand(
  { command, cwd, input, env }: { command: string; cwd: string; input: string; env: NodeJS.ProcessEnv },
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn('bash', ['--norc', '-c', command], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const kill = () => {
    try {
      // Its process group.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  signal.addEventListener('abort', kill, { once: true });
  let stderr = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    stderr = (stderr + text).slice(-MOST_OUTPUT);
  });
  // A command that does not read its input is none the worse for it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('error', (error) => reject(new Error(`cannot be started: ${error.message}`)));
      child.on('exit', (code, killedBy) => {
        if (code === 0) resolve();
        else {
          const how = code === null ? `ended by ${killedBy}` : `exit code ${code}`;
          reject(new Error(`${how} ${harmlessLine(stderr, SHOWN_OUTPUT)}`.trim()));
        }
      });
    });
  } finally {
    signal.removeEventListener('abort', kill);
    child.stderr.destroy();
  }
}
