import { allPages } from '../../../contract/all-pages.ts';
import type { Engine } from '../../../contract/engine.ts';
import type { Explanation, WorkflowRecord } from '../../../contract/records/records.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { JobRef } from '../../../core/job/job-ref.ts';
import { explainedJob, hintsAfterExplanation } from '../../../views/explanation.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { stderrOf } from '../../logs/stderr-of.ts';
import { knownSpec } from '../../options/known-spec.ts';
import { refuseSharedName } from '../../options/one-job.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import {
  jobRef,
  noteNewest,
  refuseWorkflow,
  workflowAndJob,
  workflowArgument,
} from '../../options/workflow-argument.ts';
import { explanationView } from '../../texts/explanation-text.ts';
import { explainRequest } from './explain-request.ts';

/** A job, or a request: a name that no job of the newest workflow has is one of a request. */
export const explainCommand: Command = async (context, { args, options }) => {
  if (options.dag !== undefined) {
    if (options.all === true) throw ofAJob();
    const { explainDagCommand } = await import('../htcondor/explain-dag.ts');
    return explainDagCommand(context, args, String(options.dag));
  }
  if (args.length === 0) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'id-or-job',
      problem: 'name a job or a request, or a directory with --dag',
    });
  }
  const round = wholeNumberOption('--round', options.round);
  const unit = wholeNumberOption('--unit', options.unit);
  const [name, second] = args;
  const isPart = round !== undefined || unit !== undefined;
  if (options.all === true && isPart) throw ofAJob();
  if (isPart && second !== undefined) throw invalid('only with the name of a request');
  if (round !== undefined && unit !== undefined) throw invalid('not together with --unit');
  const shown: ShowOptions = { allRules: options.all === true };
  const engine = await context.openEngine();
  if (isPart) {
    await explainRequest(context, engine, name!, { round, unit });
    return 0;
  }
  if (second !== undefined) {
    const { workflowId, job } = await workflowAndJob(engine, context, args);
    await show(context, engine, workflowId, second, await engine.explain(workflowId, job), shown);
    return 0;
  }
  const job = jobRef(name!);
  const [newest] = (await engine.listWorkflows({ limit: 1 })).items;
  const found = newest === undefined ? null : await ofJob(engine, newest, job);
  if (found !== null && !(found instanceof HoldfastError)) {
    noteNewest(context, newest!);
    await show(context, engine, newest!.id, name!, found, shown);
    return 0;
  }
  try {
    if (shown.allRules) await engine.getRequest(name!).then(() => Promise.reject(ofAJob()));
    await explainRequest(context, engine, name!, {});
  } catch (error) {
    if (!isCode(error, 'REQUEST_NOT_FOUND')) throw error;
    // Neither a job nor a request: the job was asked for first.
    await workflowArgument(engine, context, undefined);
    await refuseWorkflow(engine, context, 'explain', job);
    throw found ?? error;
  }
  return 0;
};

/** The error, if the workflow has no such job. */
async function ofJob(
  engine: Engine,
  { id }: WorkflowRecord,
  job: JobRef,
): Promise<Explanation | HoldfastError> {
  try {
    return await engine.explain(id, job);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'JOB_NOT_FOUND') return error;
    throw error;
  }
}

interface ShowOptions {
  allRules: boolean;
}

async function show(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  name: string,
  explanation: Explanation,
  options: ShowOptions,
): Promise<void> {
  const { job } = explanation;
  await refuseSharedName(engine, workflowId, name, job);
  const events = await allPages((page) => engine.listEvents(workflowId, { ...page, job: job.id }));
  const explained = explainedJob(explanation, events);
  // Only the table has more than the explanation.
  if (context.settings.output !== 'table') {
    context.show(explanationView, { explained, stderr: [], hints: [], ...options });
    return;
  }
  const workflow = await engine.getWorkflow(workflowId);
  const hints = hintsAfterExplanation(explanation, workflow, knownSpec({ workflow }));
  context.show(explanationView, {
    explained,
    stderr: await stderrOf(engine, explanation),
    hints,
    ...options,
  });
}

function isCode(error: unknown, code: HoldfastError['code']): boolean {
  return error instanceof HoldfastError && error.code === code;
}

function ofAJob(): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: '--all', problem: 'only with a job' });
}

function invalid(problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: '--round', problem });
}
