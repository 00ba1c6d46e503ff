import { hostname } from 'node:os';
import { relative, resolve } from 'node:path';
import type { Engine } from '../../contract/engine.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import type { RunStory } from '../../views/run-story.ts';
import type { Invocation } from '../command-context.ts';
import { userName } from './user-name.ts';
import { isWorkflowId } from './workflow-argument.ts';

/** The path of a spec and options that give values to it; undefined: a number of a workflow, or stdin. */
export function specWords(target: string, { lists }: Pick<Invocation, 'lists'>): string[] | undefined {
  if (isWorkflowId(target) || target === '-') return undefined;
  return [resolve(target), ...(lists.set ?? []).flatMap((value) => ['--set', value])];
}

/** How the spec of a workflow is named from here: as it was given now, or when the workflow was run on this machine. */
export function knownSpec(
  { workflow }: Pick<WorkflowStatus, 'workflow'>,
  { spec: given }: Pick<RunStory, 'spec'> = {},
): string[] | undefined {
  const { run_settings: stored } = workflow;
  const [path, ...values] = given ?? (stored?.host === hostname() ? (stored.spec ?? []) : []);
  if (path === undefined) return undefined;
  const near = relative('.', path);
  return [near.startsWith('..') ? path : near, ...values];
}

/** After a failure, for `run ID`, which offers the command that applies an edit. A success writes nothing. */
export async function rememberSpec(
  engine: Engine,
  { workflow, exit_code }: WorkflowStatus,
  { spec }: RunStory,
): Promise<void> {
  if (spec === undefined || exit_code === 0) return;
  const { run_settings: stored } = workflow;
  const kept = stored?.host === hostname() ? stored : { host: hostname() };
  if (JSON.stringify(kept.spec) === JSON.stringify(spec)) return;
  await engine.setRunSettings(workflow.id, { ...kept, spec: [...spec], actor: userName() });
}
