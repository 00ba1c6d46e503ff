import { HoldfastError } from '../../core/errors.ts';
import type { Command, Invocation } from '../command-context.ts';
import { recoveryFlags } from '../recovery/recovery-flags.ts';
import { WatchRun } from '../recovery/watch-run.ts';
import { collectRunResult } from '../run/run-result.ts';
import { storyOfStored } from '../run/run-story.ts';
import { wholeNumberOption } from '../whole-number-option.ts';
import { workflowArgument } from '../workflow-argument.ts';

const INTERRUPTED = 130;
const MAX_ROUNDS = 3;

/** Flags that mean nothing to somebody who only follows. */
const OF_RECOVERY = {
  memoryMultiplier: '--memory-multiplier',
  runtimeMultiplier: '--runtime-multiplier',
  maxMemory: '--max-memory',
  maxRuntime: '--max-runtime',
  retryUnknown: '--retry-unknown',
  recoveryHook: '--recovery-hook',
  maxRounds: '--max-rounds',
  aiRecovery: '--ai-recovery',
};

export const watchCommand: Command = async (context, { args, options }) => {
  const { print, render, narrate } = context;
  if (options.recover !== true) refuseRecoveryFlags(options);
  const recovery = options.recover === true ? recoveryFlags(context, options) : null;
  const maxRounds = wholeNumberOption('--max-rounds', options.maxRounds) ?? MAX_ROUNDS;
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const exitWhenWaiting = options.exitWhenWaiting === true;
  // A server has workers of its own; this machine is lent to them only if asked for.
  const drives = recovery !== null && (context.server === null || options.withWorker === true);
  const watch = new WatchRun(context, engine, { workflowId, recovery, maxRounds, exitWhenWaiting, drives });
  const end = await watch.run();
  if (end === null) narrate(`stopped watching workflow ${workflowId}`);
  const status = end ?? (await engine.status(workflowId));
  print(render.runResult(await collectRunResult(engine, status, context, storyOfStored(false))));
  return end === null ? INTERRUPTED : (end.exit_code ?? INTERRUPTED);
};

function refuseRecoveryFlags(options: Invocation['options']): void {
  for (const [name, flag] of Object.entries(OF_RECOVERY)) {
    if (options[name] === undefined) continue;
    throw new HoldfastError('INVALID_ARGUMENT', { argument: flag, problem: 'only with --recover' });
  }
}
