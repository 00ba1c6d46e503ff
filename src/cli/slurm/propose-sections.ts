import {
  groupJobs,
  type JobGroup,
  proposedKeys,
  type SchedulerProposal,
} from '../../core/allocation/propose-schedulers.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import { namePattern } from '../../core/text/name-pattern.ts';
import type { SlurmSections } from '../../spec/slurm/add-sections.ts';

/** Above this many, jobs are watched by patterns. */
const MOST_NAMES = 10;

/** Jobs of a workflow by what they need. */
export function groupsOfModel({ jobs, requirements }: WorkflowModel): JobGroup[] {
  return groupJobs(
    jobs.map(({ name, requirement }) => ({ needs: requirements[requirement]!, jobs: 1, names: [name] })),
  );
}

/** Schedulers, and for each an action that asks for its allocations as long as its jobs are ready. */
export function proposedSections(
  proposals: readonly SchedulerProposal[],
  account: string | null,
  allNames: readonly string[],
): SlurmSections {
  return {
    slurm_schedulers: proposals.map(
      (proposal) => proposedKeys(proposal, account) as SlurmSections['slurm_schedulers'][number],
    ),
    actions: proposals.map(({ name, allocations, group }) => ({
      trigger_type: 'on_jobs_ready',
      action_type: 'auto_schedule_on_ready_jobs',
      scheduler: name,
      num_allocations: allocations,
      ...watchKeys(group.names, allNames),
    })),
  };
}

/** How an action names its jobs: not at all where they are all, by patterns where these match no others, else one by one. */
function watchKeys(names: readonly string[], all: readonly string[]): Record<string, string[]> {
  if (names.length === all.length) return {};
  if (names.length <= MOST_NAMES) return { jobs: [...names] };
  const own = new Set(names);
  const patterns = new Set(names.map(namePattern));
  const isExact = all.every((name) => own.has(name) || !patterns.has(namePattern(name)));
  return isExact && patterns.size <= MOST_NAMES
    ? { job_name_regexes: [...patterns].map(patternText) }
    : { jobs: [...names] };
}

function patternText(pattern: string): string {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return `^${escaped.replaceAll('*', '[0-9.]+')}$`;
}
