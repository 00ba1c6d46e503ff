import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Claim } from '../core/engine.ts';
import { jobEnvironment } from '../core/job-environment.ts';
import { checkpointDirectory, logFiles, workDirectory } from '../core/log-files.ts';
import { renderCommand } from '../spec/template/render-command.ts';
import type { SpawnOrder } from './launcher/protocol.ts';

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

/** Which attempts' own files stay after their job has ended. */
export type KeepWork = 'none' | 'failed' | 'all';

export interface SpawnSettings {
  stateDir: string;
  graceMs: number;
  keepWork: KeepWork;
}

const CLEAN_UP: Record<KeepWork, SpawnOrder['cleanUp']> = {
  none: 'always',
  failed: 'after success',
  all: 'never',
};

export type SpawnPlan = { ok: true; order: SpawnOrder } | { ok: false; problem: string };

/** A claim as an order to the launcher: everything absolute and final. */
export function planSpawn(claim: Claim, { stateDir, graceMs, keepWork }: SpawnSettings): SpawnPlan {
  const { config, requirement } = claim;
  const files = attemptFiles(claim, stateDir);
  let script = config.command;
  if (config.template) {
    const rendered = renderCommand(config.command, { outputs: claim.outputs, variables: claim.variables });
    if (!rendered.ok) return { ok: false, problem: rendered.error };
    script = rendered.script;
  }
  const ownCwd = config.cwd === null ? claim.cwd : resolve(claim.cwd, config.cwd);
  const cwd = config.isolate ? files.workDir : ownCwd;
  return {
    ok: true,
    order: {
      kind: 'spawn',
      token: claim.token,
      script,
      scriptPath: files.scriptPath,
      cwd,
      env: {
        ...config.env,
        ...jobEnvironment({
          ...claim,
          output_dir: resolve(claim.cwd, claim.output_dir),
          api_url: '',
          work_dir: files.workDir,
          checkpoint_dir: files.checkpointDir,
          report_path: files.reportPath,
        }),
      },
      stdoutPath: files.stdoutPath,
      stderrPath: files.stderrPath,
      workDir: files.workDir,
      checkpointDir: files.checkpointDir,
      isFirst: claim.attempt_id === 1,
      cleanUp: CLEAN_UP[keepWork],
      directories: [dirname(files.stdoutPath)],
      timeoutMs: config.limitResources ? config.timeoutMs : null,
      memoryBytes: requirement.memoryBytes,
      enforceMemory: config.limitResources,
      graceMs,
      outputFiles: config.outputFiles.map((path) => (isAbsolute(path) ? path : join(cwd, path))),
    },
  };
}
