import type { ResolveDecision, ResolvedJob, ResolveResult } from '../../contract/records/resolution.ts';
import type { SampledFailureGroup } from '../../views/failure-group.ts';
import { visibleText } from '../../views/visible-text.ts';
import { endText } from '../texts/failures-text.ts';
import { jobsCounted, someNames } from '../texts/parts/some-names.ts';
import { resourcesText } from '../texts/resolution-text.ts';

/** The answer about a group of failures. */
export type TriageAnswer =
  | { action: 'retry'; memory?: string; runtime?: string; reason?: string }
  | { action: 'fail'; reason?: string }
  | { action: 'skip' };

export interface AnsweredGroup {
  group: SampledFailureGroup;
  answer: TriageAnswer;
}

/** One decision for each job of the groups that were decided about. */
export function planDecisions(answered: readonly AnsweredGroup[]): ResolveDecision[] {
  return answered.flatMap(({ group, answer }) => {
    if (answer.action === 'skip') return [];
    return group.jobs.map(({ job_id }) => ({ job_id, ...answer }));
  });
}

/** The answers in words, with what they lead to; `tried` is what the engine said it would do. */
export function planWords(answered: readonly AnsweredGroup[], tried: ResolveResult): string[] {
  const byId = new Map(tried.jobs.map((job) => [job.job_id, job]));
  return answered.map(({ group, answer }) => {
    const names = group.jobs.map(({ name }) => name);
    const which = `${jobsCounted(names.length)} (${endText(group)}): ${someNames(names)}`;
    if (answer.action === 'skip') return `leave ${which}`;
    const resolved = group.jobs.flatMap(({ job_id }) => byId.get(job_id) ?? []);
    const why = answer.reason === undefined ? '' : `; because ${visibleText(answer.reason)}`;
    return `${answer.action} ${which}${fate(answer.action, resolved)}${why}`;
  });
}

function fate(action: 'retry' | 'fail', jobs: readonly ResolvedJob[]): string {
  if (action === 'retry') return jobs[0] === undefined ? '' : `,${resourcesText(jobs[0])}`.replace(/,$/, '');
  const canceled = [...new Set(jobs.flatMap((job) => job.canceled))];
  return canceled.length === 0
    ? ''
    : `, which cancels ${jobsCounted(canceled.length)}: ${someNames(canceled)}`;
}

/** `retry 12 jobs and fail 2 jobs`. */
export function planCount(decisions: readonly ResolveDecision[]): string {
  const parts = (['retry', 'fail'] as const).flatMap((wanted) => {
    const count = decisions.filter(({ action }) => action === wanted).length;
    return count === 0 ? [] : [`${wanted} ${jobsCounted(count)}`];
  });
  return parts.join(' and ');
}
