import { type ChildProcess, spawn } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { describeFailure, isErrno } from './describe-failure.ts';
import type { SpawnOrder } from './protocol.ts';

/** Directories made by this process; made again if one turns out to be gone. */
const made = new Set<string>();

const LOG_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/**
 * Starts the command of an attempt in a session of its own, its output going straight to the log files.
 * Throws an Error whose message is fit for `spawnError`. A process without a pid could not be started: it
 * emits 'error', which `describeSpawnError` puts into words.
 */
export function startProcess(order: SpawnOrder, environment: NodeJS.ProcessEnv): ChildProcess {
  const { stdout, stderr } = prepare(order);
  try {
    return spawn(findBash(), [order.scriptPath], {
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

function prepare(order: SpawnOrder): LogDescriptors {
  try {
    return prepareFiles(order);
  } catch (error) {
    if (!(error instanceof Error && isErrno(error.cause, 'ENOENT')) || made.size === 0) throw error;
    made.clear();
    return prepareFiles(order);
  }
}

function prepareFiles(order: SpawnOrder): LogDescriptors {
  trying(`make the directory ${order.workDir}`, () => makeFresh(order.workDir));
  for (const directory of order.directories) {
    if (made.has(directory)) continue;
    trying(`make the directory ${directory}`, () => mkdirSync(directory, { recursive: true }));
    made.add(directory);
  }
  trying(`write the script ${order.scriptPath}`, () => writeFileSync(order.scriptPath, order.script));
  const stdout = openLog(order.stdoutPath);
  if (order.stderrPath === order.stdoutPath) return { stdout, stderr: stdout };
  try {
    return { stdout, stderr: openLog(order.stderrPath) };
  } catch (error) {
    closeSync(stdout);
    throw error;
  }
}

/** One system call in the common case: the parent exists, the directory does not. */
function makeFresh(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) {
      rmSync(directory, { recursive: true, force: true });
      made.clear();
    } else if (!isErrno(error, 'ENOENT')) {
      throw error;
    }
    mkdirSync(directory, { recursive: true });
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
