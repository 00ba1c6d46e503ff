import { dirname, join, resolve } from 'node:path';
import { workflowEnvironment } from '../../core/job/job-environment.ts';
import type { SpawnOrder } from '../launcher/protocol.ts';
import type { SpawnSettings } from './spawn-order.ts';

/** A script of a workflow that belongs to no job. */
interface WorkflowScript {
  order: Omit<Parameters<typeof workflowEnvironment>[0], 'api_url'> & { cwd: string; timeout_ms: number };
  script: string;
  /** Below the state directory. */
  workDir: string;
  /** Below the output directory. */
  logs: { stdout: string; stderr: string };
  env: Record<string, string>;
}

/** Such a script as an order to the launcher: without limits of memory, and with nothing left behind but its logs. */
export function scriptOrder(
  token: number,
  { order, script, workDir, logs, env }: WorkflowScript,
  { stateDir, graceMs, apiUrl = '' }: SpawnSettings,
): SpawnOrder {
  const outputDir = resolve(order.cwd, order.output_dir);
  const stdoutPath = join(outputDir, logs.stdout);
  const directory = join(stateDir, workDir);
  return {
    kind: 'spawn',
    token,
    script,
    scriptPath: `${directory}.sh`,
    cwd: order.cwd,
    env: { ...workflowEnvironment({ ...order, output_dir: outputDir, api_url: apiUrl }), ...env },
    stdoutPath,
    stderrPath: join(outputDir, logs.stderr),
    workDir: directory,
    checkpointDir: join(stateDir, 'checkpoints'),
    isFirst: false,
    cleanUp: 'always',
    directories: [dirname(stdoutPath)],
    timeoutMs: order.timeout_ms,
    memoryBytes: null,
    enforceMemory: false,
    endSignal: 'SIGTERM',
    graceMs,
    sampleMs: null,
    outputFiles: [],
  };
}
