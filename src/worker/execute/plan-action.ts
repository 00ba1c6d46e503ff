import type { ActionOrder } from '../../contract/records/errand.ts';
import { actionLogFiles } from '../../core/job/log-files.ts';
import { jsonWithin, MOST_VARIABLE_BYTES } from '../../core/text/json-within.ts';
import type { SpawnOrder } from '../launcher/protocol.ts';
import { scriptOrder } from './script-order.ts';
import type { SpawnSettings } from './spawn-order.ts';

/** An action as an order to the launcher: its commands one after another, up to the first that fails. */
export function planAction(order: ActionOrder, token: number, settings: SpawnSettings): SpawnOrder {
  const script = {
    order,
    script: ['set -e', ...order.commands].join('\n'),
    workDir: `work/r${order.run_id}/action_${order.action_id}`,
    logs: actionLogFiles(order),
    env: {
      HOLDFAST_TRIGGER: order.trigger,
      HOLDFAST_STATUS: order.status,
      HOLDFAST_EXIT_CODE: String(order.exit_code ?? ''),
      HOLDFAST_FAILED_JOBS: jsonWithin(order.failed_jobs, MOST_VARIABLE_BYTES),
    },
  };
  return scriptOrder(token, script, settings);
}
