import { existsSync } from 'node:fs';
import type { Engine } from '../../core/engine.ts';
import { findUnfitting } from '../../core/fit.ts';
import type { WorkflowRecord } from '../../core/records.ts';
import { Launchers } from '../../worker/launchers.ts';
import type { Command, CommandContext, Invocation } from '../command-context.ts';
import { planOfModel } from '../graph/plan.ts';
import { visibleText } from '../output/visible-text.ts';
import { driveRun } from '../run/drive-run.ts';
import { followServerRun } from '../run/follow-server-run.ts';
import { newWorkflow } from '../run/new-workflow.ts';
import { refuseRoutingFlags } from '../run/routing-flags.ts';
import { collectRunResult } from '../run/run-result.ts';
import { type RunStory, storyOf, storyOfStored } from '../run/run-story.ts';
import { isWorkflowId } from '../workflow-argument.ts';

type Options = Invocation['options'];

/** Runs a workflow to its end, or has it run. */
type Run = (engine: Engine, workflow: WorkflowRecord, story: RunStory) => Promise<number>;

export const runCommand: Command = async (context, { args, options }) => {
  const target = args[0]!;
  if (context.server !== null && options.withWorker !== true) {
    const follow: Run = (engine, workflow, story) => followServerRun(context, engine, workflow, story);
    return runTarget(context, target, options, follow);
  }
  const launchers = new Launchers(context.stateDir);
  // A launcher takes as long to start as the spec takes to read. Where there is no state yet none may be made.
  if (options.dryRun !== true && existsSync(context.stateDir)) launchers.start().catch(() => {});
  const drive: Run = (engine, workflow, story) => driveRun(context, engine, workflow, launchers, story);
  try {
    return await runTarget(context, target, options, drive);
  } finally {
    void launchers.stop();
  }
};

function runTarget(context: CommandContext, target: string, options: Options, run: Run): Promise<number> {
  const told: Run = (engine, workflow, story) => {
    tellBeginning(context, workflow);
    return run(engine, workflow, story);
  };
  return isWorkflowId(target)
    ? goOn(context, Number(target), options, told)
    : runSpec(context, target, options, told);
}

async function runSpec(context: CommandContext, path: string, options: Options, run: Run): Promise<number> {
  const { settings, print, render, server } = context;
  const workflow = await newWorkflow(context, path, options);
  // What does not fit here may fit a worker elsewhere.
  if (server === null || options.withWorker === true) {
    const unfitting = findUnfitting(workflow.model, { ...settings, memoryBytes: settings.memory });
    if (unfitting) throw unfitting;
  }
  if (options.dryRun === true) {
    print(render.plan(planOfModel(workflow.model), false));
    return 0;
  }
  const engine = await context.openEngine({ create: true });
  const created = await engine.createWorkflow(workflow);
  return run(engine, created, storyOf(workflow.model, options.debug === true));
}

async function goOn(context: CommandContext, id: number, options: Options, run: Run): Promise<number> {
  refuseRoutingFlags(options, id);
  const story = storyOfStored(options.debug === true);
  const engine = await context.openEngine();
  const status = await engine.status(id);
  if (options.dryRun === true) {
    context.print(context.render.status(status));
    return 0;
  }
  if (!status.complete) return run(engine, status.workflow, story);
  context.narrate(`workflow ${id} is complete: nothing is run again`);
  context.print(context.render.runResult(await collectRunResult(engine, status, context, story)));
  return status.exit_code ?? 0;
}

function tellBeginning({ settings, narrate, errorPaint }: CommandContext, workflow: WorkflowRecord): void {
  if (settings.output === 'quiet') return;
  const jobs = `${workflow.job_count} ${workflow.job_count === 1 ? 'job' : 'jobs'}`;
  narrate(`workflow ${workflow.id} ${errorPaint('bold', visibleText(workflow.name))}: ${jobs}`);
}
