import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HoldfastError } from '../../core/errors.ts';
import { findUnfitting } from '../../core/fit.ts';
import { formatProblem } from '../../spec/problem.ts';
import { Launchers } from '../../worker/launchers.ts';
import type { Command, CommandContext, Invocation } from '../command-context.ts';
import { planOfModel } from '../graph/plan.ts';
import { driveRun } from '../run/drive-run.ts';
import { refuseRoutingFlags, routingFlags } from '../run/routing-flags.ts';
import { collectRunResult } from '../run/run-result.ts';
import { storyOf, storyOfStored } from '../run/run-story.ts';
import { userName } from '../user-name.ts';
import { isWorkflowId } from '../workflow-argument.ts';

export const runCommand: Command = async (context, { args, options }) => {
  const target = args[0]!;
  const dryRun = options.dryRun === true;
  const launchers = new Launchers(context.stateDir);
  // A launcher takes as long to start as the spec takes to read. Where there is no state yet none may be made.
  if (!dryRun && existsSync(context.stateDir)) launchers.start().catch(() => {});
  try {
    return isWorkflowId(target)
      ? await goOn(context, Number(target), options, launchers)
      : await runSpec(context, target, options, launchers);
  } finally {
    void launchers.stop();
  }
};

async function runSpec(
  context: CommandContext,
  path: string,
  options: Invocation['options'],
  launchers: Launchers,
): Promise<number> {
  const { settings, narrate, print, render } = context;
  const changeRouting = routingFlags(options);
  const { readSpec } = await import('../read-spec.ts');
  const { model: written, warnings, unsupported } = readSpec(path, context.origins);
  for (const warning of warnings) narrate(`warning: ${formatProblem(warning)}`);
  if (unsupported.length > 0) {
    const places = unsupported.map(
      (each) => `${each.feature} (${path}:${each.line}:${each.column}: ${each.path})`,
    );
    throw new HoldfastError('NOT_SUPPORTED_YET', { features: places.join(', ') });
  }
  const model = changeRouting(written);
  const unfitting = findUnfitting(model, { ...settings, memoryBytes: settings.memory });
  if (unfitting) throw unfitting;
  if (options.dryRun === true) {
    print(render.plan(planOfModel(model), false));
    return 0;
  }
  const engine = await context.openEngine({ create: true });
  const workflow = await engine.createWorkflow({
    model,
    cwd: process.cwd(),
    output_dir: resolve(settings.output_dir),
    actor: userName(),
  });
  return driveRun(context, engine, workflow, launchers, storyOf(model, options.debug === true));
}

async function goOn(
  context: CommandContext,
  id: number,
  options: Invocation['options'],
  launchers: Launchers,
): Promise<number> {
  refuseRoutingFlags(options, id);
  const story = storyOfStored(options.debug === true);
  const engine = await context.openEngine();
  const status = await engine.status(id);
  if (options.dryRun === true) {
    context.print(context.render.status(status));
    return 0;
  }
  if (!status.complete) return driveRun(context, engine, status.workflow, launchers, story);
  context.narrate(`workflow ${id} is complete: nothing is run again`);
  context.print(context.render.runResult(await collectRunResult(engine, status, context, story)));
  return status.exit_code ?? 0;
}
