import { dirname, join, resolve } from 'node:path';
import type { ActionOrder } from '../core/exchange.ts';
import { workflowEnvironment } from '../core/job-environment.ts';
import { actionLogFiles } from '../core/log-files.ts';
import type { SpawnOrder } from './launcher/protocol.ts';
import type { SpawnSettings } from './spawn-order.ts';

const ACTION_TIMEOUT_MS = 60 * 60_000;

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
    },
    stdoutPath,
    stderrPath: join(outputDir, logs.stderr),
    workDir,
    checkpointDir: join(stateDir, 'checkpoints'),
    isFirst: false,
    cleanUp: 'always',
    directories: [dirname(stdoutPath)],
    timeoutMs: ACTION_TIMEOUT_MS,
    memoryBytes: null,
    enforceMemory: false,
    graceMs,
    outputFiles: [],
  };
}
