import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describeFailure, isErrno } from './describe-failure.ts';
import type { DirectoryPool } from './directory-pool.ts';
import type { SpawnOrder } from './protocol.ts';

/** Linux takes 128 KiB as one argument; far below that a file costs less than it is worth. */
const INLINE_BYTES = 32 * 1024;

/** A short command is given to bash itself, which then also becomes it where it is a single program. */
export function needsFile(script: string): boolean {
  return script.length > INLINE_BYTES || script.includes('\0') || Buffer.byteLength(script) > INLINE_BYTES;
}

/** Directories made by this process; made again if one turns out to be gone. */
const made = new Set<string>();

const LOG_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/**
 * Starts the command of an attempt in a session of its own, its output going straight to the log files.
 * Throws an Error whose message is fit for `spawnError`. A process without a pid could not be started: it
 * emits 'error', which `describeSpawnError` puts into words.
 */
export function startProcess(
  order: SpawnOrder,
  environment: NodeJS.ProcessEnv,
  pool: DirectoryPool,
): ChildProcess {
  const { stdout, stderr } = prepare(order, pool);
  try {
    return spawn(findBash(), needsFile(order.script) ? [order.scriptPath] : ['-c', '--', order.script], {
      cwd: order.cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', stdout, stderr],
    });
  } catch (error) {
    throw new Error(describeSpawnError(order, error), { cause: error });
  } finally {
    closeSync(stdout);
    if (stderr !== stdout) closeSync(stderr);
  }
}

/** A missing directory and a missing program look the same to the one who spawns. */
export function describeSpawnError(order: SpawnOrder, error: unknown): string {
  try {
    if (!statSync(order.cwd).isDirectory()) return `cannot run in ${order.cwd}: it is not a directory`;
    accessSync(order.cwd, constants.X_OK);
  } catch (cause) {
    return describeFailure(`run in ${order.cwd}`, cause);
  }
  return describeFailure(`start ${findBash()}`, error);
}

interface LogDescriptors {
  stdout: number;
  stderr: number;
}

function prepare(order: SpawnOrder, pool: DirectoryPool): LogDescriptors {
  try {
    return prepareFiles(order, pool);
  } catch (error) {
    if (!(error instanceof Error && isErrno(error.cause, 'ENOENT')) || made.size === 0) throw error;
    made.clear();
    return prepareFiles(order, pool);
  }
}

function prepareFiles(order: SpawnOrder, pool: DirectoryPool): LogDescriptors {
  trying(`make the directory ${order.workDir}`, () => pool.makeFresh(order.workDir));
  trying(`make the directory ${order.checkpointDir}`, () => pool.make(order.checkpointDir, !order.isFirst));
  for (const directory of order.directories) {
    if (made.has(directory)) continue;
    trying(`make the directory ${directory}`, () => mkdirSync(directory, { recursive: true }));
    made.add(directory);
  }
  if (needsFile(order.script)) {
    trying(`write the script ${order.scriptPath}`, () => writeFileSync(order.scriptPath, order.script));
  }
  const stdout = openLog(order.stdoutPath);
  if (order.stderrPath === order.stdoutPath) return { stdout, stderr: stdout };
  try {
    return { stdout, stderr: openLog(order.stderrPath) };
  } catch (error) {
    closeSync(stdout);
    throw error;
  }
}

function openLog(path: string): number {
  return trying(`open the log ${path}`, () => openSync(path, LOG_FLAGS, 0o666));
}

function trying<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(describeFailure(what, error), { cause: error });
  }
}

let bash: string | undefined;

/** Found once and by the launcher's own PATH: a job may set another one for itself. */
function findBash(): string {
  bash ??= (process.env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => directory.startsWith('/'))
    .map((directory) => join(directory, 'bash'))
    .find((candidate) => {
      try {
        accessSync(candidate, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
  return bash ?? '/bin/bash';
}
