import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Claim } from '../../contract/records/exchange.ts';
import { jobEnvironment } from '../../core/job/job-environment.ts';
import {
  type AttemptPlace,
  checkpointDirectory,
  logFiles,
  logPaths,
  workDirectory,
} from '../../core/job/log-files.ts';
import { DISCARDED } from '../../core/job/stdio.ts';
import { renderCommand } from '../../spec/template/render-command.ts';
import type { SpawnOrder } from '../launcher/protocol.ts';
import { directoryOf, markedFiles } from '../observe/declared-files.ts';
import { commandWithUserData, userDataDirectory } from '../observe/user-data-files.ts';
import { type StepPlace, stepOptions } from './step-options.ts';

/** Where an attempt's own files are. */
export interface AttemptFiles {
  workDir: string;
  scriptPath: string;
  reportPath: string;
  /** What the post script learns of the attempt. */
  outcomePath: string;
  checkpointDir: string;
  stdoutPath: string;
  stderrPath: string;
}

/** What says where they are. */
export type AttemptOfJob = AttemptPlace & Pick<Claim, 'cwd' | 'output_dir' | 'config'>;

export function attemptFiles(claim: AttemptOfJob, stateDir: string, checkpointRoot = stateDir): AttemptFiles {
  const workDir = join(stateDir, workDirectory(claim));
  const outputDir = resolve(claim.cwd, claim.output_dir);
  const logs = logPaths(claim, outputDir, claim.config.stdio.mode);
  return {
    workDir,
    scriptPath: `${workDir}.sh`,
    outcomePath: `${workDir}.outcome.json`,
    reportPath: join(workDir, '.holdfast-report.json'),
    checkpointDir: join(checkpointRoot, checkpointDirectory(claim)),
    stdoutPath: logs.stdout,
    stderrPath: logs.stderr,
  };
}

/** Where an attempt's stdout and stderr are kept. */
export function attemptLogs(claim: Claim, stateDir: string): { stdout: string; stderr: string } {
  const { stdoutPath, stderrPath } = attemptFiles(claim, stateDir);
  return { stdout: stdoutPath, stderr: stderrPath };
}

/** Which attempts' own files stay after their job has ended. */
export type KeepWork = 'none' | 'failed' | 'all';

export interface SpawnSettings {
  stateDir: string;
  /** Where checkpoints are kept, for whichever worker runs the next attempt (default: in the state directory). */
  checkpointRoot?: string;
  graceMs: number;
  keepWork: KeepWork;
  /** Where programs find the API (default: nowhere). */
  apiUrl?: string;
  /** Of the worker (default: local). */
  site?: string;
  /** Attempts that are to be steps are; otherwise they are started directly. */
  steps?: StepPlace;
}

const CLEAN_UP: Record<KeepWork, SpawnOrder['cleanUp']> = {
  none: 'always',
  failed: 'after success',
  all: 'never',
};

export type SpawnPlan = { ok: true; order: SpawnOrder } | { ok: false; problem: string };

/** A claim as an order to the launcher: everything absolute and final. */
export function planSpawn(claim: Claim, ports: Record<string, number>, settings: SpawnSettings): SpawnPlan {
  const { config } = claim;
  const files = attemptFiles(claim, settings.stateDir, settings.checkpointRoot);
  const userDataDir = userDataDirectory(claim, settings.stateDir);
  const command = finalCommand(claim, userDataDir);
  if (!command.ok) return command;
  const cwd = config.isolate ? files.workDir : directoryOf(claim);
  // One shape for all orders, with what few of them have behind it: spreads cost four times as much, for every job.
  const order: SpawnOrder = {
    kind: 'spawn',
    token: claim.token,
    script: command.script,
    scriptPath: files.scriptPath,
    cwd,
    env: environmentOf(claim, files, userDataDir, settings),
    stdoutPath: files.stdoutPath,
    stderrPath: files.stderrPath,
    workDir: files.workDir,
    checkpointDir: files.checkpointDir,
    isFirst: claim.attempt_id === 1,
    // The post script may want to look at what the attempt left.
    cleanUp: config.post === null ? CLEAN_UP[settings.keepWork] : 'never',
    directories: logDirectories(files),
    timeoutMs: config.limit_resources ? config.timeout_ms : null,
    memoryBytes: claim.requirement.memory_bytes,
    enforceMemory: config.limit_resources,
    endSignal: config.end_signal as NodeJS.Signals,
    graceMs: config.grace_ms ?? settings.graceMs,
    sampleMs: config.sample_ms,
    outputFiles: config.output_files.map((path) => (isAbsolute(path) ? path : join(cwd, path))),
  };
  addDeclaredFiles(order, claim);
  addPorts(order.env, ports);
  if (userDataDir !== null) order.directories.push(userDataDir);
  if (config.shell !== 'bash') order.shell = config.shell;
  const step = settings.steps === undefined ? null : stepOptions(claim, settings.steps);
  if (step !== null) order.step = step;
  return { ok: true, order };
}

function addDeclaredFiles(order: SpawnOrder, claim: Claim): void {
  const { config, run_id, attempt_id } = claim;
  // A later attempt may find that the first one has used its input up.
  if (attempt_id === 1 && config.given_files.length > 0) {
    order.inputFiles = config.given_files.map((path) => resolve(directoryOf(claim), path));
  }
  const watched = markedFiles(claim);
  if (watched.length > 0) order.watched = watched.map(({ role, absolute }) => ({ role, absolute }));
  if (config.output_files.length === 0) return;
  if (config.failed_outputs === 'aside') order.failedSuffix = `.failed-r${run_id}-a${attempt_id}`;
  if (config.failed_outputs === 'removed') order.failedSuffix = null;
}

/** The command as its shell gets it, with the values of this attempt in place. */
function finalCommand(
  claim: Claim,
  userDataDir: string | null,
): { ok: true; script: string } | { ok: false; problem: string } {
  const { config, outputs, variables, foreach, failures } = claim;
  if (!config.template) return commandWithUserData(claim, userDataDir);
  const rendered = renderCommand(config.command, { outputs, variables, foreach, failures });
  return rendered.ok ? rendered : { ok: false, problem: rendered.error };
}

type ScriptKind = 'post' | 'recovery';

/** Files of a script beside an attempt; its work directory is that of the attempt, which it must not lose. */
export function scriptFiles(
  claim: Claim,
  { stateDir, checkpointRoot }: Pick<SpawnSettings, 'stateDir' | 'checkpointRoot'>,
  kind: ScriptKind,
): AttemptFiles {
  const files = attemptFiles(claim, stateDir, checkpointRoot);
  const logs = logFiles(claim, kind);
  const outputDir = resolve(claim.cwd, claim.output_dir);
  return {
    ...files,
    scriptPath: `${files.workDir}.${kind}.sh`,
    stdoutPath: join(outputDir, logs.stdout),
    stderrPath: join(outputDir, logs.stderr),
  };
}

export interface SideScript {
  token: number;
  kind: ScriptKind;
  script: string;
  env: Record<string, string>;
  timeoutMs: number;
}

/** A script beside an attempt as an order to the launcher. */
export function planScript(claim: Claim, side: SideScript, settings: SpawnSettings): SpawnOrder {
  const files = scriptFiles(claim, settings, side.kind);
  return {
    kind: 'spawn',
    token: side.token,
    script: side.script,
    scriptPath: files.scriptPath,
    cwd: directoryOf(claim),
    env: { ...environmentOf(claim, files, null, settings), ...side.env },
    stdoutPath: files.stdoutPath,
    stderrPath: files.stderrPath,
    workDir: `${files.workDir}.${side.kind}`,
    checkpointDir: files.checkpointDir,
    isFirst: false,
    cleanUp: 'always',
    directories: logDirectories(files),
    timeoutMs: side.timeoutMs,
    memoryBytes: null,
    enforceMemory: false,
    endSignal: 'SIGTERM',
    graceMs: settings.graceMs,
    sampleMs: null,
    outputFiles: [],
  };
}

/** Directories of the logs that are kept. */
function logDirectories({ stdoutPath, stderrPath }: AttemptFiles): string[] {
  const [stdout, stderr] = [stdoutPath, stderrPath].map((path) =>
    path === DISCARDED ? null : dirname(path),
  );
  return [stdout, stderr === stdout ? null : stderr].filter((directory) => directory != null);
}

/** `http` → HOLDFAST_PORT_HTTP. */
function addPorts(env: Record<string, string>, ports: Record<string, number>): void {
  for (const name in ports) {
    env[`HOLDFAST_PORT_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`] = String(ports[name]);
  }
}

function environmentOf(
  claim: Claim,
  files: AttemptFiles,
  userDataDir: string | null,
  { apiUrl = '' }: SpawnSettings,
): Record<string, string> {
  const environment = jobEnvironment({
    workflow_id: claim.workflow_id,
    job_id: claim.job_id,
    run_id: claim.run_id,
    attempt_id: claim.attempt_id,
    job_name: claim.job_name,
    token: claim.token,
    output_dir: resolve(claim.cwd, claim.output_dir),
    api_url: apiUrl,
    work_dir: files.workDir,
    checkpoint_dir: files.checkpointDir,
    report_path: files.reportPath,
    user_data_dir: userDataDir,
    ...(claim.traceparent !== undefined && { traceparent: claim.traceparent }),
  });
  // Most jobs have none of their own, and to copy an object of this size takes longer than to make it.
  const { env } = claim.config;
  return Object.keys(env).length === 0 ? environment : { ...env, ...environment };
}
