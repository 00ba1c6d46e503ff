import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Engine } from '../../../contract/engine.ts';
import type { WorkflowRecord, WorkflowStatus } from '../../../contract/records/records.ts';
import type { WorkflowExecutor } from '../../../core/allocation/executor.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { findMissingInputs } from '../../../core/model/missing-inputs.ts';
import { findUnfitting } from '../../../core/placement/fit.ts';
import { readKind } from '../../../spec/read-kind.ts';
import type { SpecSettings } from '../../../spec/variables/apply-settings.ts';
import { planOfModel } from '../../../views/graph/plan.ts';
import { pausedBy } from '../../../views/pause-text.ts';
import { describeRequest } from '../../../views/request-plan.ts';
import { type RunStory, storyOf, storyOfStored } from '../../../views/run-story.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { CommandContext, Invocation } from '../../command-context.ts';
import { needDagman } from '../../htcondor/need-dagman.ts';
import { OF_OFFER, OF_SLURM, refuseOptions } from '../../options/refuse-options.ts';
import { refuseRoutingFlags } from '../../options/routing-flags.ts';
import { recallSettings } from '../../options/run-settings.ts';
import { refuseSettings } from '../../options/set-option.ts';
import { modelUntil, refuseUntil, resumeUntil } from '../../options/until-option.ts';
import { userName } from '../../options/user-name.ts';
import { isWorkflowId } from '../../options/workflow-argument.ts';
import { readSpecText, type SpecText } from '../../read-spec.ts';
import { driveRequest, refuseForeignSite } from '../../run/drive-request.ts';
import { followRequest } from '../../run/follow-request.ts';
import { storeNewWorkflow } from '../../run/new-workflow.ts';
import { refuseForRequest } from '../../run/refuse-for-request.ts';
import { runDueActions } from '../../run/run-due-actions.ts';
import { collectRunResult } from '../../run/run-result.ts';
import { refuseTimeLimit } from '../../run/time-limit.ts';
import type { LocalWorker } from '../../run/worker-options.ts';
import { type FoundStale, findStale } from '../../stale/find-stale.ts';
import { noteStale } from '../../stale/note-stale.ts';
import { untilText } from '../../texts/parts/until-text.ts';
import { runResultView } from '../../texts/run-result-text.ts';
import { planView } from '../../texts/spec/plan-text.ts';
import { requestPlanView } from '../../texts/spec/request-text.ts';
import { statusView } from '../../texts/status-text.ts';
import type { AroundRun } from '../../ui/around-run.ts';
import { continueOption, continueSpec, findContinued } from './continue-workflow.ts';

type Options = Invocation['options'];

interface Flags {
  options: Options;
  lists: Invocation['lists'];
  offer: LocalWorker;
  /** null: as the spec and the place say. */
  executor: WorkflowExecutor | null;
  /** Values instead of those of the spec. */
  set: SpecSettings;
  /** At what the run is to end; null: at the end of everything. */
  until: string[] | null;
  /** The path of the spec and options that give values to it; undefined: it has no path. */
  words: string[] | undefined;
  /** What is done before and after the run. */
  around: AroundRun;
}

/** Runs a workflow to its end, or has it run. */
export type Run = (engine: Engine, workflow: WorkflowRecord, story: RunStory) => Promise<number>;

/** Runs a spec, a request or a workflow that is there. */
export function runTarget(context: CommandContext, target: string, flags: Flags, run: Run): Promise<number> {
  const announced: Run = async (engine, workflow, story) => {
    await announceRun(context, engine, workflow);
    return flags.around(engine, workflow.id, () => run(engine, workflow, story));
  };
  if (isWorkflowId(target)) refuseSettings(flags.set);
  if (isWorkflowId(target)) return resumeWorkflow(context, Number(target), flags, announced);
  const spec = readSpecText(target, flags.set);
  return readKind(spec.text, spec.name) === 'request'
    ? runRequest(context, target, spec, flags)
    : runSpec(context, spec, flags, announced);
}

/** Works a request off here, or follows a server that does. */
async function runRequest(
  context: CommandContext,
  path: string,
  spec: SpecText,
  { options, lists, offer, until }: Flags,
): Promise<number> {
  refuseForRequest(options);
  refuseUntil(until, 'has no effect on a request');
  const { newRequest } = await import('../../run/new-request.ts');
  const request = newRequest(context, path, spec, options);
  refuseForExecutor({ options, lists }, request.model.executor);
  if (options.dryRun === true) {
    context.show(requestPlanView, describeRequest(request.model, request.items?.length ?? null));
    return 0;
  }
  if (context.server !== null) {
    if (options.withWorker === true) throw withWorker();
    const engine = await context.openEngine();
    return followRequest(context, engine, await engine.createRequest(request));
  }
  if (request.model.executor === 'htcondor') needDagman();
  else refuseForeignSite(request.model.name, request.model.sites, offer.site);
  const engine = await context.openServedEngine();
  return driveRequest(context, engine, await engine.createRequest(request), offer);
}

function withWorker(): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: '--with-worker',
    problem: 'a request has many workflows; `holdfast worker` lends this machine to all of them',
  });
}

async function runSpec(
  context: CommandContext,
  spec: SpecText,
  { options, lists, offer: given, executor, until, words, around }: Flags,
  run: Run,
): Promise<number> {
  const { server } = context;
  const continued = continueOption({ options });
  const workflow = await storeNewWorkflow(context, spec, options, executor);
  if (executor === 'htcondor') refuseUntil(until, 'DAGMan runs all of a DAG');
  const model = modelUntil(workflow.model, until);
  if (until !== null && options.dryRun === true) {
    context.narrate(untilText(until, workflow.model.jobs.length - model.jobs.length));
  }
  const place = continued === undefined ? null : await findContinued(context, continued, workflow.model.name);
  refuseForExecutor({ options, lists }, place?.stored.executor ?? executor ?? 'workers');
  // What does not fit here may fit a worker elsewhere.
  if ((workflow.shared !== true && executor !== 'htcondor') || options.withWorker === true) {
    const { settings, offer } = recallSettings(context, given, place?.stored ?? { run_settings: null });
    const { cpus, memory: memory_bytes, gpus, max_parallel } = settings;
    const offered = { cpus, memory_bytes, gpus, max_parallel, labels: offer.labels };
    const unfitting = findUnfitting(workflow.model, offered);
    if (unfitting) throw unfitting;
  }
  if (place !== null) {
    const id = await continueSpec(context, place, workflow, model, options.dryRun === true);
    return id === null
      ? 0
      : resumeStored(context, id, { options, lists, executor, until, words, around }, run);
  }
  // Files of the workers of a server are theirs to check.
  if (server === null) {
    const missing = findMissingInputs(model, (path, directory) =>
      existsSync(resolve(workflow.cwd, directory ?? '.', path)),
    );
    if (missing) throw missing;
  }
  if (options.dryRun === true) {
    context.show(planView, { plan: planOfModel(workflow.model), all: false });
    return 0;
  }
  if (executor === 'htcondor' && server === null) needDagman();
  const engine = await context.openEngine({ create: true });
  const created = await engine.createWorkflow({ ...workflow, ...(until !== null && { until }) });
  return run(engine, created, withSpec(storyOf(workflow.model, options.debug === true), words));
}

function withSpec(story: RunStory, words: string[] | undefined): RunStory {
  return words === undefined ? story : { ...story, spec: words };
}

async function resumeWorkflow(
  context: CommandContext,
  id: number,
  { options, lists, executor, until, words, around }: Flags,
  run: Run,
): Promise<number> {
  refuseRoutingFlags(options, id);
  if (options.continue !== undefined) throw withoutSpec(id);
  if (options.dryRun === true) refuseUntil(until, 'with --dry-run is for a spec, whose plan is shown');
  return resumeStored(context, id, { options, lists, executor, until, words, around }, run);
}

function withoutSpec(id: number): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: '--continue',
    problem: `needs the edited spec, as in \`holdfast run workflow.yaml --continue ${id}\``,
  });
}

async function resumeStored(
  context: CommandContext,
  id: number,
  { options, lists, executor, until, words, around }: Omit<Flags, 'offer' | 'set'>,
  run: Run,
): Promise<number> {
  const story = withSpec(storyOfStored(options.debug === true), words);
  const engine = await context.openEngine();
  const status = await engine.status(id);
  if (executor !== null && executor !== status.workflow.executor) throw otherExecutor(status.workflow);
  if (status.workflow.executor !== 'workers') refuseTimeLimit({ options }, NO_JOBS_HERE);
  refuseForExecutor({ options, lists }, status.workflow.executor);
  const found = await findStale(engine, status.workflow);
  noteStale(context, status.workflow, found);
  if (options.dryRun === true) {
    context.show(statusView, status);
    return 0;
  }
  if (!status.complete) {
    refuseMissing(context, status, found, until);
    await resumePaused(context, engine, status.workflow);
    return run(engine, await resumeUntil(context, engine, status, until), story);
  }
  refuseUntil(until, `workflow ${id} is complete, and nothing of it is left to run`);
  await runDueActions(context, engine, id);
  if (status.actions_due === 0)
    context.narrate(
      `workflow ${id} is complete: ${status.exit_code === 0 ? 'nothing is run again' : 'nothing is run again by itself'}`,
    );
  return around(engine, id, async () => {
    context.show(runResultView, await collectRunResult(engine, status, context.settings.output, story));
    return status.exit_code ?? 0;
  });
}

/** Before anything runs. What `--until` leaves out needs nothing, and files of the workers of others are theirs to check. */
function refuseMissing(
  { server }: CommandContext,
  { workflow, workers }: WorkflowStatus,
  found: FoundStale,
  until: string[] | null,
): void {
  if (server !== null || workflow.executor !== 'workers' || workers.length > 0 || until !== null) return;
  const missing = found.missing(found.waiting);
  if (missing !== null) throw missing;
}

/** What only another executor has a use for. With a server and a worker of this machine, that worker has a use for its own. */
function refuseForExecutor(given: Pick<Flags, 'options' | 'lists'>, executor: WorkflowExecutor): void {
  if (executor !== 'slurm')
    refuseOptions(given, OF_SLURM, 'only with --executor slurm, and without a server');
  if (executor !== 'workers' && given.options.withWorker !== true)
    refuseOptions(given, OF_OFFER, NO_JOBS_HERE);
}

const NO_JOBS_HERE = 'only where this process runs the jobs, and a cluster runs those of this workflow';

function otherExecutor({ id, executor }: WorkflowRecord): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: '--executor',
    problem: `workflow ${id} was created for ${executor}; without the option it is resumed there`,
  });
}

/** `run` of a paused workflow resumes it. */
async function resumePaused(
  { narrate }: CommandContext,
  engine: Engine,
  workflow: WorkflowRecord,
): Promise<void> {
  const paused = pausedBy(workflow);
  if (paused === null) return;
  try {
    await engine.resumeWorkflow(workflow.id, { actor: userName(), reason: 'run again' });
  } catch (error) {
    // It was resumed meanwhile.
    if (!(error instanceof HoldfastError && error.code === 'NOT_PAUSED')) throw error;
  }
  narrate(`workflow ${workflow.id} was ${paused}; it is resumed`);
}

async function announceRun(
  { settings, narrate, errorPaint }: CommandContext,
  engine: Engine,
  workflow: WorkflowRecord,
): Promise<void> {
  if (settings.output === 'quiet') return;
  const jobs = `${workflow.job_count} ${workflow.job_count === 1 ? 'job' : 'jobs'}`;
  narrate(`workflow ${workflow.id} ${errorPaint('bold', visibleText(workflow.name))}: ${jobs}`);
  if (workflow.until === null) return;
  const { held } = await engine.status(workflow.id);
  narrate(untilText(workflow.until, held.jobs));
}
