import { continueHint } from '../../../views/hints.ts';
import type { Command } from '../../command-context.ts';
import { onInterrupt } from '../../interrupts.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { noteMissingOptIn } from '../../recovery/note-missing-opt-in.ts';
import { recoverFailures } from '../../recovery/recover-failures.ts';
import { recoveryFlags } from '../../recovery/recovery-flags.ts';
import { runDueActions } from '../../run/run-due-actions.ts';
import { recoveryView } from '../../texts/recovery-text.ts';

const INTERRUPTED = 130;

export const recoverCommand: Command = async (context, { args, options }) => {
  const flags = recoveryFlags(context, options);
  const dryRun = options.dryRun === true;
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  await noteMissingOptIn(context, engine, workflowId, flags);
  const interrupted = new AbortController();
  const stopListening = onInterrupt(() => interrupted.abort());
  try {
    const { signal } = interrupted;
    if (!dryRun) await runDueActions(context, engine, workflowId);
    const recovery = await recoverFailures(context, engine, workflowId, flags, signal, { dryRun });
    if (recovery === null) return signal.aborted ? INTERRUPTED : 1;
    const next = dryRun ? null : continueHint(await engine.status(workflowId));
    context.show(recoveryView, { ...recovery, next });
    if (!dryRun) await runDueActions(context, engine, workflowId);
    if (signal.aborted) return INTERRUPTED;
    return recovery.agent === null || recovery.agent.succeeded ? 0 : 1;
  } finally {
    stopListening();
  }
};
