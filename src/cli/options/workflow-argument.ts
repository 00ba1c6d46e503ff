import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { CommandContext } from '../command-context.ts';

const NUMBER = /^\d+$/;

export function isWorkflowId(text: string): boolean {
  return NUMBER.test(text);
}

/** A job by its number if it is one, else by its name. */
export function jobRef(text: string): JobRef {
  return NUMBER.test(text) ? Number(text) : text;
}

/** The workflow that an argument names; the newest one where it was left out. */
export async function workflowArgument(
  engine: Engine,
  context: CommandContext,
  text: string | undefined,
): Promise<number> {
  if (text !== undefined) {
    if (isWorkflowId(text)) return Number(text);
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: text,
      problem: 'is not the number of a workflow',
    });
  }
  const [newest] = (await engine.listWorkflows({ limit: 1 })).items;
  if (newest === undefined) throw noWorkflow();
  noteNewest(context, newest);
  return newest.id;
}

/** People see which workflow was meant. */
export function noteNewest(
  { stderr, errorPaint, narrate }: CommandContext,
  { id, name }: Pick<WorkflowRecord, 'id' | 'name'>,
): void {
  if (stderr.isTTY) narrate(errorPaint('dim', `workflow ${id} ${visibleText(name)}`));
}

/** `ID JOB`, or only `JOB` of the newest workflow. */
export async function workflowAndJob(
  engine: Engine,
  context: CommandContext,
  args: string[],
): Promise<{ workflowId: number; job: JobRef }> {
  const [first, second] = args;
  if (second === undefined) {
    return { workflowId: await workflowArgument(engine, context, undefined), job: jobRef(first!) };
  }
  return { workflowId: await workflowArgument(engine, context, first), job: jobRef(second) };
}

/** After a single number that is no job: whether it is a workflow, of which the job was left out. */
export async function refuseWorkflow(
  engine: Engine,
  { command }: Pick<CommandContext, 'command'>,
  verb: string,
  job: JobRef,
): Promise<void> {
  if (typeof job === 'string' || (await findWorkflowOf(engine, job)) === null) return;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: String(job),
    problem: `is a workflow; add one of its jobs, as in \`${command(verb, job, 'JOB')}\``,
  });
}

async function findWorkflowOf(engine: Engine, id: number): Promise<WorkflowRecord | null> {
  try {
    return await engine.getWorkflow(id);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'WORKFLOW_NOT_FOUND') return null;
    throw error;
  }
}

/** For commands that change something, only a workflow that is the only candidate is obvious. */
export async function onlyIncompleteWorkflow(engine: Engine): Promise<number> {
  const workflows = await allPages((page) => engine.listWorkflows(page));
  if (workflows.length === 0) throw noWorkflow();
  const open: number[] = [];
  for (const { id } of workflows) if (!(await engine.status(id)).complete) open.push(id);
  if (open.length === 1) return open[0]!;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: 'id',
    problem:
      open.length === 0
        ? 'every workflow is complete'
        : `name one of the workflows that are not complete: ${open.slice(0, 10).join(', ')}`,
  });
}

function noWorkflow(): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: 'id',
    problem: 'there is no workflow yet; `holdfast run SPEC` makes one',
  });
}
