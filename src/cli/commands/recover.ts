import type { Engine } from '../../core/engine.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { recoverFailures } from '../recovery/recover-failures.ts';
import type { Recovery } from '../recovery/recovery.ts';
import { recoveryFlags } from '../recovery/recovery-flags.ts';
import { workflowArgument } from '../workflow-argument.ts';

const INTERRUPTED = 130;

export const recoverCommand: Command = async (context, { args, options }) => {
  const flags = recoveryFlags(context, options);
  const dryRun = options.dryRun === true;
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const interrupted = new AbortController();
  const stopListening = onInterrupt(() => interrupted.abort());
  try {
    const { signal } = interrupted;
    const recovery = await recoverFailures(context, engine, workflowId, flags, signal, { dryRun });
    if (recovery === null) return signal.aborted ? INTERRUPTED : 1;
    const next = dryRun ? null : await nextCommand(context, engine, recovery);
    context.print(context.render.recovery({ ...recovery, next }));
    if (signal.aborted) return INTERRUPTED;
    return recovery.agent === null || recovery.agent.succeeded ? 0 : 1;
  } finally {
    stopListening();
  }
};

async function nextCommand(
  { command }: CommandContext,
  engine: Engine,
  { workflowId }: Recovery,
): Promise<string | null> {
  const { complete, exit_code, workers } = await engine.status(workflowId);
  if (exit_code === 3) return command('resolve', workflowId);
  // A process that drives the run takes the jobs up by itself.
  return complete || workers.length > 0 ? null : command('run', workflowId);
}
