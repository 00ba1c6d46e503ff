import type { Engine } from '../../contract/engine.ts';
import type { CommandContext } from '../command-context.ts';
import type { RecoveryFlags } from './recovery-flags.ts';

/** An agent decides jobs that wait for a decision; without the opt-in of the workflow no job ever does. */
export async function noteMissingOptIn(
  { narrate }: Pick<CommandContext, 'narrate'>,
  engine: Engine,
  workflowId: number,
  flags: RecoveryFlags | null,
): Promise<void> {
  if (flags === null || flags.agent === null) return;
  const { use_pending_failed } = await engine.getWorkflow(workflowId);
  if (use_pending_failed) return;
  narrate(
    `workflow ${workflowId} does not have use_pending_failed enabled, so no job waits for a decision and --ai-recovery asks no agent; write \`use_pending_failed: true\` in the spec`,
  );
}
