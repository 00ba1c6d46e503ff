import type { Engine } from '../../core/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { ResolveResult } from '../../core/resolution.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { readDecisions } from '../triage/read-decisions.ts';
import { userName } from '../user-name.ts';
import { workflowArgument } from '../workflow-argument.ts';

const INTERRUPTED = 130;

export const resolveCommand: Command = async (context, { args, options, lists }) => {
  const dryRun = options.dryRun === true;
  const actor = userName();
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const decisions = await readDecisions(engine, workflowId, { options, lists });
  if (decisions !== null) {
    const result = await engine.resolve(workflowId, { decisions, actor, dry_run: dryRun });
    await tell(context, engine, workflowId, result);
    return 0;
  }
  refuseWithoutTerminal(context, workflowId);
  const { triage } = await import('../triage/triage.ts');
  const { terminalTriager } = await import('../triage/terminal-triager.ts');
  const { fingerprint } = options;
  const end = await triage(
    engine,
    { workflowId, actor, dryRun, ...(typeof fingerprint === 'string' && { fingerprint }) },
    await terminalTriager(context),
  );
  if (typeof end !== 'string') await tell(context, engine, workflowId, end);
  else {
    const waits = end === 'none' ? 'nothing waits for a decision' : 'nothing was decided';
    context.narrate(`workflow ${workflowId}: ${waits}`);
  }
  return end === 'left' ? INTERRUPTED : 0;
};

async function tell(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  result: ResolveResult,
): Promise<void> {
  const next = result.dry_run ? null : await nextCommand(context, engine, workflowId);
  context.print(context.render.resolution(result, { workflowId, next }));
}

/** A process that drives the run goes on by itself. */
async function nextCommand(
  { command }: CommandContext,
  engine: Engine,
  workflowId: number,
): Promise<string | null> {
  const { complete, counts, exit_code, workers } = await engine.status(workflowId);
  if (complete || workers.length > 0) return null;
  return command(exit_code === 3 && counts.ready === 0 ? 'resolve' : 'run', workflowId);
}

function refuseWithoutTerminal({ settings, stderr }: CommandContext, workflowId: number): void {
  if (process.stdin.isTTY && stderr.isTTY && settings.output === 'table' && process.env.TERM !== 'dumb')
    return;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: 'resolve',
    problem: `there is no terminal to ask on; name jobs with --retry JOB or --fail JOB, or those that fail alike with --fingerprint F --retry (\`holdfast failures ${workflowId}\` lists them)`,
  });
}
