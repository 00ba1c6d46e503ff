import { spawn } from 'node:child_process';

export interface ClusterCommand {
  /** Program and arguments; no shell reads them. */
  command: readonly [string, ...string[]];
  env: Record<string, string>;
  /** Where it runs; here unless given. */
  cwd?: string;
  /** What it reads from stdin. */
  input?: string;
  /** How long it may take; it is killed then. */
  limitMs: number;
}

export interface ClusterAnswer {
  /** null: ended by a signal, or never started. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** Why there is no answer: not started, killed, too late, too much; null if there is one. */
  problem: string | null;
}

/** A list of 100,000 allocations has 10 MB. */
const MOST_OUTPUT_BYTES = 32 * 1024 * 1024;
const MOST_ERROR_BYTES = 64 * 1024;
/** How long the pipes of a killed command may stay open, should one of its children have left its process group. */
const AFTER_KILL_MS = 500;

/**
 * Runs one command of a batch system as the leader of its own process group: Ctrl-C at the terminal is not for it. Never rejects.
 */
export function runClusterCommand(order: ClusterCommand): Promise<ClusterAnswer> {
  const [file, ...args] = order.command;
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      ...(order.cwd !== undefined && { cwd: order.cwd }),
      env: order.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let bytes = 0;
    let errorBytes = 0;
    let problem: string | null = null;

    const answer = (exitCode: number | null) => {
      clearTimeout(limit);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      resolve({
        exitCode,
        stdout: Buffer.concat(stdout).toString('utf8'),
        stderr: Buffer.concat(stderr).toString('utf8'),
        problem,
      });
    };
    const kill = (why: string) => {
      if (problem !== null) return;
      problem = why;
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It has just ended.
      }
      setTimeout(() => answer(null), AFTER_KILL_MS).unref();
    };
    const limit = setTimeout(() => kill(`no answer within ${order.limitMs / 1000} s`), order.limitMs);

    child.stdin.on('error', () => {}).end(order.input ?? '');
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_OUTPUT_BYTES) kill(`more than ${MOST_OUTPUT_BYTES / 1024 ** 2} MB of output`);
      else stdout.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (errorBytes < MOST_ERROR_BYTES) stderr.push(chunk.subarray(0, MOST_ERROR_BYTES - errorBytes));
      errorBytes += chunk.length;
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      problem ??= error.code === 'ENOENT' ? `${file} is not on PATH` : error.message;
      answer(null);
    });
    child.once('close', (exitCode, signal) => {
      if (exitCode === null) problem ??= `ended by ${signal}`;
      answer(exitCode);
    });
  });
}
