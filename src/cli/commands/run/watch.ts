import type { Engine } from '../../../contract/engine.ts';
import type { AutoSchedulePolicy } from '../../../core/allocation/auto-schedule.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { storyOfStored } from '../../../views/run-story.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { labelOption, WITHOUT_WORKER } from '../../options/label-option.ts';
import { OF_WORKER, refuseOptions, WITH_SERVER_ONLY } from '../../options/refuse-options.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { noteMissingOptIn } from '../../recovery/note-missing-opt-in.ts';
import { OF_AGENT, recoveryFlags } from '../../recovery/recovery-flags.ts';
import { WatchRun } from '../../recovery/watch-run.ts';
import { checkMayWork } from '../../run/check-may-work.ts';
import { waitOutOutages } from '../../run/outages.ts';
import { collectRunResult } from '../../run/run-result.ts';
import { autoScheduleFlags } from '../../slurm/auto-schedule-flags.ts';
import { runResultView } from '../../texts/run-result-text.ts';

const INTERRUPTED = 130;
const MAX_ROUNDS = 3;

/** Flags that have no meaning without --recover. */
const OF_RECOVERY = [
  'memoryMultiplier',
  'runtimeMultiplier',
  'maxMemory',
  'maxRuntime',
  'retryUnknown',
  'recoveryHook',
  'maxRounds',
  'aiRecovery',
  ...OF_AGENT,
  'withWorker',
  ...OF_WORKER,
];

export const watchCommand: Command = async (context, { args, options, lists }) => {
  const { narrate } = context;
  if (options.recover !== true) refuseOptions({ options, lists }, OF_RECOVERY, 'only with --recover');
  if (context.server === null) refuseOptions({ options, lists }, ['reconnectTimeout'], WITH_SERVER_ONLY);
  else if (options.withWorker !== true) refuseOptions({ options, lists }, OF_WORKER, WITHOUT_WORKER);
  const recovery = options.recover === true ? recoveryFlags(context, options) : null;
  const maxRounds = wholeNumberOption('--max-rounds', options.maxRounds) ?? MAX_ROUNDS;
  const labels = labelOption({ lists });
  const policy = autoScheduleFlags(options);
  await checkMayWork(context, options);
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  await noteMissingOptIn(context, engine, workflowId, recovery);
  const exitWhenWaiting = options.exitWhenWaiting === true;
  // A server has workers of its own; this machine is lent to them only if asked for.
  const drives = recovery !== null && (context.server === null || options.withWorker === true);
  const watch = new WatchRun(context, engine, {
    workflowId,
    recovery,
    maxRounds,
    exitWhenWaiting,
    drives,
    labels,
    autoSchedule: policy && (await autoSchedule(context, engine, workflowId, policy)),
  });
  const end = await watch.run();
  const stopWaiting = waitOutOutages(context, engine, narrate);
  if (end === null) {
    stopWaiting();
    narrate(`stopped watching workflow ${workflowId}`);
  }
  const status = end ?? (await engine.status(workflowId));
  const result = await collectRunResult(engine, status, context.settings.output, storyOfStored(false));
  // The last line of a stream.
  if (context.settings.output === 'json')
    context.print(JSON.stringify({ result: runResultView.json(result) }));
  else context.show(runResultView, result);
  stopWaiting();
  return end === null ? INTERRUPTED : (end.exit_code ?? INTERRUPTED);
};

async function autoSchedule(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  policy: AutoSchedulePolicy,
) {
  const { workflow } = await engine.status(workflowId);
  if (workflow.executor !== 'slurm') {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--auto-schedule',
      problem: `workflow ${workflowId} runs without Slurm; \`holdfast slurm regenerate ${workflowId} --submit\` gives it allocations`,
    });
  }
  const { AutoSchedule } = await import('../../slurm/auto-schedule.ts');
  return new AutoSchedule(context, engine, policy);
}
