import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';

interface LaterKey {
  feature: string;
  /** Which values ask for the behaviour; any, unless told. */
  when?: (value: unknown) => boolean;
}

const isFilled = (value: unknown) => Object.keys(value as object).length > 0;
const asksForNodes = (value: unknown) => ((value as { num_nodes?: number }).num_nodes ?? 1) > 1;

const NODES: LaterKey = { feature: 'jobs over several nodes', when: asksForNodes };

/**
 * Keys that are checked but do nothing in this version; `run` refuses them. A key of the schema is
 * either here or reaches the model: a test compares the two with the schema.
 */
export const LATER_KEYS = {
  workflow: {
    slurm_schedulers: { feature: 'Slurm', when: isFilled },
    slurm_defaults: { feature: 'Slurm', when: isFilled },
    resource_monitor: {
      feature: 'the resource monitor',
      when: (value) => (value as { enabled?: boolean }).enabled !== false,
    },
  },
  job: {
    resource_requirements: NODES,
    scheduler: { feature: 'Slurm' },
  },
} satisfies Record<string, Record<string, LaterKey>>;

/** Every use of a later version's behaviour. */
export function findUnsupported(spec: WorkflowSpec, findings: Findings): void {
  flag(spec, LATER_KEYS.workflow, [], findings);
  for (const [index, requirement] of (spec.resource_requirements ?? []).entries()) {
    if (asksForNodes(requirement))
      findings.notYet(['resource_requirements', index, 'num_nodes'], NODES.feature);
  }
  for (const [index, job] of (spec.jobs ?? []).entries()) {
    flag(job, LATER_KEYS.job, ['jobs', index], findings);
  }
}

function flag(
  written: WorkflowSpec | JobSpec,
  keys: Record<string, LaterKey>,
  path: SpecPath,
  findings: Findings,
): void {
  for (const key of Object.keys(written)) {
    if (!Object.hasOwn(keys, key)) continue;
    const { feature, when } = keys[key]!;
    const value = (written as Record<string, unknown>)[key];
    if (value !== undefined && (when?.(value) ?? true)) findings.notYet([...path, key], feature);
  }
}
