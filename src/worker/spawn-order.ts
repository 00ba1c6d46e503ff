import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Claim } from '../core/exchange.ts';
import { jobEnvironment } from '../core/job-environment.ts';
import { checkpointDirectory, logFiles, workDirectory } from '../core/log-files.ts';
import { renderCommand } from '../spec/template/render-command.ts';
import type { SpawnOrder } from './launcher/protocol.ts';
import { commandWithUserData, userDataDirectory } from './user-data-files.ts';

/** Where an attempt's own files are. */
export interface AttemptFiles {
  workDir: string;
  scriptPath: string;
  reportPath: string;
  checkpointDir: string;
  stdoutPath: string;
  stderrPath: string;
}

export function attemptFiles(claim: Claim, stateDir: string): AttemptFiles {
  const workDir = join(stateDir, workDirectory(claim));
  const logs = logFiles(claim);
  const outputDir = resolve(claim.cwd, claim.output_dir);
  return {
    workDir,
    scriptPath: `${workDir}.sh`,
    reportPath: join(workDir, '.holdfast-report.json'),
    checkpointDir: join(stateDir, checkpointDirectory(claim)),
    stdoutPath: join(outputDir, logs.stdout),
    stderrPath: join(outputDir, logs.stderr),
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
  graceMs: number;
  keepWork: KeepWork;
  /** Where programs find the API; nowhere unless told. */
  apiUrl?: string;
}

const CLEAN_UP: Record<KeepWork, SpawnOrder['cleanUp']> = {
  none: 'always',
  failed: 'after success',
  all: 'never',
};

export type SpawnPlan = { ok: true; order: SpawnOrder } | { ok: false; problem: string };

/** A claim as an order to the launcher: everything absolute and final. */
export function planSpawn(claim: Claim, ports: Record<string, number>, settings: SpawnSettings): SpawnPlan {
  const { config, requirement } = claim;
  const files = attemptFiles(claim, settings.stateDir);
  const userDataDir = userDataDirectory(claim, settings.stateDir);
  const command = finalCommand(claim, userDataDir);
  if (!command.ok) return command;
  const common = commonOrder(claim, files, settings);
  const cwd = config.isolate ? files.workDir : directoryOf(claim);
  return {
    ok: true,
    order: {
      ...common,
      directories: userDataDir === null ? common.directories : [...common.directories, userDataDir],
      token: claim.token,
      script: command.script,
      scriptPath: files.scriptPath,
      cwd,
      env: { ...environmentOf(claim, files, userDataDir, settings), ...portEnvironment(ports) },
      stdoutPath: files.stdoutPath,
      stderrPath: files.stderrPath,
      workDir: files.workDir,
      // The post script may want to look at what the attempt left.
      cleanUp: config.post === null ? CLEAN_UP[settings.keepWork] : 'never',
      timeoutMs: config.limitResources ? config.timeoutMs : null,
      memoryBytes: requirement.memoryBytes,
      enforceMemory: config.limitResources,
      outputFiles: config.outputFiles.map((path) => (isAbsolute(path) ? path : join(cwd, path))),
    },
  };
}

/** The command as bash gets it, with the values of this attempt in place. */
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
export function scriptFiles(claim: Claim, stateDir: string, kind: ScriptKind): AttemptFiles {
  const files = attemptFiles(claim, stateDir);
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
  const files = scriptFiles(claim, settings.stateDir, side.kind);
  return {
    ...commonOrder(claim, files, settings),
    token: side.token,
    script: side.script,
    scriptPath: files.scriptPath,
    cwd: directoryOf(claim),
    env: { ...environmentOf(claim, files, null, settings), ...side.env },
    stdoutPath: files.stdoutPath,
    stderrPath: files.stderrPath,
    workDir: `${files.workDir}.${side.kind}`,
    isFirst: false,
    cleanUp: 'always',
    timeoutMs: side.timeoutMs,
    memoryBytes: null,
    enforceMemory: false,
    outputFiles: [],
  };
}

function commonOrder(claim: Claim, files: AttemptFiles, { graceMs }: SpawnSettings) {
  return {
    kind: 'spawn' as const,
    checkpointDir: files.checkpointDir,
    isFirst: claim.attempt_id === 1,
    directories: [dirname(files.stdoutPath)],
    graceMs,
  };
}

/** `http` → HOLDFAST_PORT_HTTP. */
function portEnvironment(ports: Record<string, number>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [
      `HOLDFAST_PORT_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`,
      String(port),
    ]),
  );
}

/** Where the user ran the command, unless the job says otherwise. */
function directoryOf({ cwd, config }: Claim): string {
  return config.cwd === null ? cwd : resolve(cwd, config.cwd);
}

function environmentOf(
  claim: Claim,
  files: AttemptFiles,
  userDataDir: string | null,
  { apiUrl = '' }: SpawnSettings,
): Record<string, string> {
  return {
    ...claim.config.env,
    ...jobEnvironment({
      ...claim,
      output_dir: resolve(claim.cwd, claim.output_dir),
      api_url: apiUrl,
      work_dir: files.workDir,
      checkpoint_dir: files.checkpointDir,
      report_path: files.reportPath,
      user_data_dir: userDataDir,
    }),
  };
}
