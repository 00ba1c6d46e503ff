import { dirname, join, resolve } from 'node:path';
import type { ActionOrder } from '../../contract/records/errand.ts';
import { workflowEnvironment } from '../../core/job/job-environment.ts';
import { actionLogFiles } from '../../core/job/log-files.ts';
import { jsonWithin, MOST_VARIABLE_BYTES } from '../../core/text/json-within.ts';
import type { SpawnOrder } from '../launcher/protocol.ts';
import type { SpawnSettings } from './spawn-order.ts';

/** An action as an order to the launcher: its commands one after another, up to the first that fails. */
export function planAction(
  order: ActionOrder,
  token: number,
  { stateDir, graceMs, apiUrl = '' }: SpawnSettings,
): SpawnOrder {
  const outputDir = resolve(order.cwd, order.output_dir);
  const logs = actionLogFiles(order);
  const workDir = join(stateDir, `work/r${order.run_id}/action_${order.action_id}`);
  const stdoutPath = join(outputDir, logs.stdout);
  return {
    kind: 'spawn',
    token,
    script: ['set -e', ...order.commands].join('\n'),
    scriptPath: `${workDir}.sh`,
    cwd: order.cwd,
    env: {
      ...workflowEnvironment({ ...order, output_dir: outputDir, api_url: apiUrl }),
      HOLDFAST_TRIGGER: order.trigger,
      HOLDFAST_STATUS: order.status,
      HOLDFAST_EXIT_CODE: String(order.exit_code ?? ''),
      HOLDFAST_FAILED_JOBS: jsonWithin(order.failed_jobs, MOST_VARIABLE_BYTES),
    },
    stdoutPath,
    stderrPath: join(outputDir, logs.stderr),
    workDir,
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
