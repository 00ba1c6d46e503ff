import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { callWithFile, callWithText, type Shell, type ShellCall } from '../../../core/job/shell.ts';
import { makeDirectory } from '../../../host/make-directory.ts';
import type { SpawnOrder } from '../protocol.ts';
import { describeFailure, isErrno } from './describe-failure.ts';
import { directProgram } from './direct-program.ts';
import type { DirectoryPool } from './directory-pool.ts';
import { findJobProgram, findProgram } from './find-program.ts';
import { LOG_FLAGS, LOG_MODE } from './log-file.ts';
import type { Program, ProgramEnvironment, Starter } from './starter.ts';
import { type StepExit, stepExit } from './step-exit.ts';

/** Linux takes 128 KiB as one argument; far below that a file costs less than it is worth. */
const INLINE_BYTES = 32 * 1024;
/** Another shell may see its program otherwise in a file, so that it gets one only where it must. */
const MOST_INLINE_BYTES = 128 * 1024 - 1;

/** A short command is given to the shell itself; bash then also becomes it where it is a single program. */
export function needsFile({ script, shell }: Pick<SpawnOrder, 'script' | 'shell'>): boolean {
  const most = Array.isArray(shell) ? MOST_INLINE_BYTES : INLINE_BYTES;
  return script.length > most || script.includes('\0') || Buffer.byteLength(script) > most;
}

/** Directories made by this process; made again if one turns out to be gone. */
const made = new Set<string>();

/** How a command ended; the facts of a step only where it was one. */
export type CommandExit = Pick<StepExit, 'code' | 'signal'> & Partial<StepExit>;

export interface CommandCallbacks {
  started(pid: number): void;
  /** Comes after `started`. */
  exited(exit: CommandExit): void;
  /** It could not be started. The message is fit for `spawn_error`, the cause is the error of the system. */
  failed: Failed;
}

type Failed = (error: Error) => void;

/**
 * Starts the command of an attempt in a session of its own, its output going straight to the log files. Only `failed` may
 * be called before this returns.
 */
export function startProcess(
  order: SpawnOrder,
  environment: ProgramEnvironment,
  pool: DirectoryPool,
  starter: Starter,
  callbacks: CommandCallbacks,
): void {
  const start = (failed: CommandCallbacks['failed']) => {
    try {
      prepareFiles(order, pool);
      if (order.step === undefined) startProgram(order, environment, starter, { ...callbacks, failed });
      else startStep(order, environment, { ...callbacks, failed });
    } catch (error) {
      failed(error as Error);
    }
  };
  start((error) => {
    if (!isErrno(error.cause, 'ENOENT') || made.size === 0) {
      callbacks.failed(error);
      return;
    }
    made.clear();
    start(callbacks.failed);
  });
}

function startProgram(
  order: SpawnOrder,
  environment: ProgramEnvironment,
  starter: Starter,
  { started, exited, failed }: CommandCallbacks,
): void {
  const { cwd, stdoutPath: stdout, stderrPath: stderr } = order;
  const start = (program: Pick<Program, 'path' | 'name' | 'words' | 'environment'>, notStarted: Failed) => {
    try {
      starter.start({ ...program, cwd, stdout, stderr }, { started, exited, failed: notStarted });
    } catch (error) {
      notStarted(error as Error);
    }
  };
  const startShell = () => {
    const notStarted = (error: unknown) => failed(startError(order, error));
    try {
      const [path, words] = [programOf(order, environment), shellCall(order).args];
      start({ path, words, environment }, notStarted);
    } catch (error) {
      notStarted(error);
    }
  };
  const isForBash = !Array.isArray(order.shell) && !needsFile(order);
  const direct = isForBash ? directProgram(order.script, cwd, environment) : null;
  if (direct === null) {
    startShell();
    return;
  }
  const { variables, ...program } = direct;
  const own = { ...environment.own, ...variables };
  // Bash says what is wrong.
  start({ ...program, environment: { ...environment, own } }, startShell);
}

/** Which part of a start failed is not known: logs that cannot be made are the reason. */
function startError(order: SpawnOrder, error: unknown): Error {
  try {
    makeLogs(order);
  } catch (problem) {
    return problem as Error;
  }
  return new Error(describeSpawnError(order, error), { cause: error });
}

/** Of what srun says; its last words count. */
const MOST_SAID = 16_384;

/** What srun itself says goes elsewhere: it is no output of the job, and says how the step ended. */
function startStep(
  order: SpawnOrder,
  { shared, own }: ProgramEnvironment,
  { started, exited, failed }: CommandCallbacks,
): void {
  makeLogs(order);
  const child = spawnStep(order, { ...shared, ...own });
  child.once('error', (error) => failed(new Error(describeSpawnError(order, error), { cause: error })));
  child.once('spawn', () => started(child.pid!));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    said = (said + more).slice(-MOST_SAID);
  });
  child.once('close', (code, signal) => exited(stepExit(code, signal, said)));
}

function spawnStep(order: SpawnOrder, env: NodeJS.ProcessEnv) {
  try {
    const words = [...order.step!, ...stepLogs(order), shellName(order.shell), ...shellCall(order).args];
    return spawn(findProgram('srun'), words, {
      cwd: order.cwd,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw new Error(describeSpawnError(order, error), { cause: error });
  }
}

function shellCall(order: SpawnOrder): ShellCall {
  const { shell = 'bash', script, scriptPath } = order;
  const call = needsFile(order) ? callWithFile(shell, scriptPath) : callWithText(shell, script);
  if (call === null) throw new Error('the command is longer than the 128 KiB that an argument may have');
  return call;
}

function programOf({ shell, cwd }: SpawnOrder, { shared, own }: ProgramEnvironment): string {
  return Array.isArray(shell) ? findJobProgram(shell[0]!, own.PATH ?? shared.PATH, cwd) : findProgram('bash');
}

/** For srun, which looks for it on the machine of the step, and for messages. */
function shellName(shell: Shell = 'bash'): string {
  return Array.isArray(shell) ? shell[0]! : findProgram('bash');
}

/** A missing directory and a missing program look the same to the one who spawns. */
function describeSpawnError(order: SpawnOrder, error: unknown): string {
  try {
    if (!statSync(order.cwd).isDirectory()) return `cannot run in ${order.cwd}: it is not a directory`;
    accessSync(order.cwd, constants.X_OK);
  } catch (cause) {
    return describeFailure(`run in ${order.cwd}`, cause);
  }
  const program = order.step === undefined ? shellName(order.shell) : findProgram('srun');
  return describeFailure(`start ${program}`, error);
}

/** Files are written by srun, in whose names % is special. */
function stepLogs({ stdoutPath, stderrPath }: SpawnOrder): string[] {
  const name = (path: string) => path.replaceAll('%', '%%');
  const error = stderrPath === stdoutPath ? [] : [`--error=${name(stderrPath)}`];
  return ['--input=none', '--open-mode=append', `--output=${name(stdoutPath)}`, ...error];
}

function prepareFiles(order: SpawnOrder, pool: DirectoryPool): void {
  trying(`make the directory ${order.workDir}`, () => pool.makeFresh(order.workDir));
  trying(`make the directory ${order.checkpointDir}`, () => pool.make(order.checkpointDir, !order.isFirst));
  for (const directory of order.directories) {
    if (made.has(directory)) continue;
    trying(`make the directory ${directory}`, () => makeDirectory(directory));
    made.add(directory);
  }
  prepareDeclaredFiles(order);
  if (needsFile(order)) {
    trying(`write the script ${order.scriptPath}`, () => writeFileSync(order.scriptPath, order.script));
  }
}

function prepareDeclaredFiles({ cwd, inputFiles = [], outputFiles }: SpawnOrder): void {
  const missing = inputFiles.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Error(`the input ${missing} does not exist, and no job writes it`);
  // A working directory that does not exist is an error, and is not made by the way.
  if (outputFiles.length === 0 || !existsSync(cwd)) return;
  for (const directory of new Set(outputFiles.map((file) => dirname(resolve(cwd, file))))) {
    trying(`make the directory ${directory}`, () => makeDirectory(directory));
  }
}

/** Makes empty logs, or reports why they cannot be made. */
function makeLogs({ stdoutPath, stderrPath }: SpawnOrder): void {
  for (const path of new Set([stdoutPath, stderrPath])) {
    trying(`open the log ${path}`, () => closeSync(openSync(path, LOG_FLAGS, LOG_MODE)));
  }
}

function trying<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(describeFailure(what, error), { cause: error });
  }
}
