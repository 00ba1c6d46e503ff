import type { Findings } from '../findings.ts';
import type { JobDraft } from '../normalise/job-draft.ts';
import type { JobSpec } from '../schema/job-schema.ts';

/** `fail_fast` is for the jobs of a sweep, and these must run by themselves. */
export function checkFailFast(
  jobs: readonly JobSpec[],
  drafts: readonly JobDraft[],
  onCall: ReadonlySet<number>,
  findings: Findings,
): void {
  const called = new Set([...onCall].map((job) => drafts[job]!.path[1]));
  for (const [index, job] of jobs.entries()) {
    if (job.fail_fast === undefined) continue;
    const at = ['jobs', index, 'fail_fast'];
    if (!isSwept(job)) findings.error(at, 'there is no sweep to cancel; it is for a job with `parameters`');
    else if (!job.name.includes('{')) {
      findings.error(at, `all expansions of "${job.name}" have one name, so there is one job and no sweep`);
    } else if (job.fail_fast && called.has(index)) {
      findings.error(at, `"${job.name}" is on call, and its caller decides what follows a failure`);
    }
  }
}

function isSwept({ parameters, use_parameters, parameters_file, use_parameters_file }: JobSpec): boolean {
  const own = Object.keys(parameters ?? {}).length + (use_parameters ?? []).length;
  return own > 0 || parameters_file !== undefined || use_parameters_file === true;
}
