import type { Engine } from '../../contract/engine.ts';
import type { StatusCounts } from '../../contract/records/records.ts';
import type { RecoverResult } from '../../contract/records/resolution.ts';
import type { CommandContext } from '../command-context.ts';
import { askAgent } from './ask-agent.ts';
import type { Recovery } from './recovery.ts';
import type { RecoveryFlags } from './recovery-flags.ts';
import { runHook } from './run-hook.ts';

/** Who is to act in this step (default: both). */
interface Steps {
  known?: boolean;
  agent?: boolean;
  dryRun?: boolean;
}

/**
 * Known causes first, then the agent for what is left. The agent is only asked while nothing is running or ready.
 * null if the hook failed or was interrupted: then nothing was changed.
 */
export async function recoverFailures(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  flags: RecoveryFlags,
  signal: AbortSignal,
  { known = true, agent: mayAsk = true, dryRun = false }: Steps = {},
): Promise<Recovery | null> {
  const { counts } = await engine.status(workflowId);
  const plan = await engine.recover(workflowId, { ...flags.request, dry_run: true });
  const retries = known && plan.retried.length > 0;
  const waiting = known
    ? plan.left.filter(({ status }) => status === 'pending_failed').length
    : counts.pending_failed;
  const asked = mayAsk && flags.agent !== null && isQuiet(counts) ? waiting : 0;
  if (dryRun) return { workflowId, result: plan, agent: null, wouldAsk: asked };
  if (flags.hook !== null && (retries || asked > 0)) {
    if (!(await runHook(context, flags.hook, workflowId, plan, signal))) return null;
  }
  const result = retries ? await engine.recover(workflowId, flags.request) : nothing(plan);
  if (asked === 0) return { workflowId, result, agent: null, wouldAsk: 0 };
  const report = await askAgent(context, engine, workflowId, flags.agent!, signal);
  const decided = new Set(report.decisions.map(({ job_id }) => job_id));
  const left = result.left.filter(({ job_id }) => !decided.has(job_id));
  return { workflowId, result: { ...result, left }, agent: report, wouldAsk: 0 };
}

/** Jobs that will run, or run, may still change what there is to decide. */
export function isQuiet(counts: StatusCounts): boolean {
  return counts.ready + counts.pending + counts.running === 0;
}

function nothing(plan: RecoverResult): RecoverResult {
  return { ...plan, dry_run: false, mode: 'nothing' };
}
