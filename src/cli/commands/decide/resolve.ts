import type { Engine } from '../../../contract/engine.ts';
import type { ResolveResult } from '../../../contract/records/resolution.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { continueHint } from '../../../views/hints.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { userName } from '../../options/user-name.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { runDueActions } from '../../run/run-due-actions.ts';
import { hintCommand } from '../../texts/parts/hint-command.ts';
import { resolutionView } from '../../texts/resolution-text.ts';
import { readDecisions } from '../../triage/read-decisions.ts';

const INTERRUPTED = 130;

export const resolveCommand: Command = async (context, { args, options, lists }) => {
  const dryRun = options.dryRun === true;
  const actor = userName();
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const decisions = await readDecisions(engine, workflowId, { jobs: args.slice(1), options, lists });
  if (decisions !== null) {
    const result = await engine.resolve(workflowId, { decisions, actor, dry_run: dryRun });
    await showResult(context, engine, workflowId, result);
    return 0;
  }
  const { counts } = await engine.status(workflowId);
  if (counts.pending_failed === 0) {
    context.narrate(`workflow ${workflowId}: nothing waits for a decision`);
    return 0;
  }
  refuseWithoutTerminal(context, workflowId);
  const { triage } = await import('../../triage/triage.ts');
  const { terminalTriager } = await import('../../triage/terminal-triager.ts');
  const { fingerprint } = options;
  const end = await triage(
    engine,
    { workflowId, actor, dryRun, ...(typeof fingerprint === 'string' && { fingerprint }) },
    await terminalTriager(context),
  );
  if (typeof end !== 'string') await showResult(context, engine, workflowId, end);
  else {
    const waits = end === 'none' ? 'nothing waits for a decision' : 'nothing was decided';
    context.narrate(`workflow ${workflowId}: ${waits}`);
  }
  return end === 'left' ? INTERRUPTED : 0;
};

async function showResult(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  result: ResolveResult,
): Promise<void> {
  const next = result.dry_run ? null : continueHint(await engine.status(workflowId));
  context.show(resolutionView, { workflow_id: workflowId, ...result, next });
  if (!result.dry_run) await runDueActions(context, engine, workflowId);
}

function refuseWithoutTerminal(context: CommandContext, workflowId: number): void {
  const { settings, stderr } = context;
  if (process.stdin.isTTY && stderr.isTTY && settings.output === 'table' && process.env.TERM !== 'dumb')
    return;
  const list = hintCommand({ kind: 'failures', workflow: workflowId }, context);
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: 'resolve',
    problem: `there is no terminal to ask on; name jobs with --retry JOB or --fail JOB, or those that fail alike with --fingerprint F --retry (\`${list}\` lists them)`,
  });
}
