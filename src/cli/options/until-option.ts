import type { Engine } from '../../contract/engine.ts';
import type { WorkflowRecord, WorkflowStatus } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import { heldBackBy, MOST_TARGETS, untilGraphOf } from '../../core/selection/until.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import type { CommandOption } from '../command-entry.ts';
import { userName } from './user-name.ts';

/** Of `run`. */
export const UNTIL_OPTION: CommandOption = [
  '--until <target>',
  'run only what a job, a pattern of jobs or an output file needs; can be repeated',
  'repeated',
];

/** At what the run is to end; null: at the end of everything. */
export function untilOption({ lists }: Pick<Invocation, 'lists'>): string[] | null {
  const targets = [...new Set(lists.until ?? [])];
  if (targets.length === 0) return null;
  if (targets.length > MOST_TARGETS) throw invalid(`can be given ${MOST_TARGETS} times`);
  if (targets.includes('')) throw invalid('must name a job or a file');
  return targets;
}

export function refuseUntil(until: readonly string[] | null, problem: string): void {
  if (until !== null) throw invalid(problem);
}

function invalid(problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: '--until', problem });
}

/** What is run of a model. An unknown target is an error. */
export function modelUntil(model: WorkflowModel, until: readonly string[] | null): WorkflowModel {
  if (until === null) return model;
  const held = new Set(heldBackBy(until, untilGraphOf(model)));
  return { ...model, jobs: model.jobs.filter((_, index) => !held.has(index)) };
}

/** A workflow that is resumed ends at the new limit. */
export async function resumeUntil(
  { narrate }: CommandContext,
  engine: Engine,
  { workflow }: WorkflowStatus,
  until: string[] | null,
): Promise<WorkflowRecord> {
  if (until === null && workflow.until === null) return workflow;
  const changed = await engine.setUntil(workflow.id, { until, actor: userName() });
  if (until === null) narrate(`workflow ${workflow.id} continues with the jobs that --until had left out`);
  return changed;
}
