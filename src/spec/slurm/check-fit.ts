import { schedulerLabel } from '../../core/allocation/allocation-offer.ts';
import type { SchedulerModel } from '../../core/allocation/scheduler.ts';
import { schedulerMisfit } from '../../core/allocation/scheduler-fit.ts';
import type { Requirement } from '../../core/model/workflow-model.ts';
import type { Findings } from '../findings.ts';
import type { JobDraft } from '../normalise/job-draft.ts';

/**
 * Warns of jobs for which no allocation can ever be large or long enough. It is no error: other workers may have what they need.
 * Jobs with the same requirement and scheduler are reported once.
 */
export function warnOfMisfits(
  drafts: readonly JobDraft[],
  requirements: readonly Requirement[],
  schedulers: readonly SchedulerModel[],
  findings: Findings,
): void {
  if (schedulers.length === 0) return;
  const groups = new Map<string, JobDraft[]>();
  for (const draft of drafts) {
    const key = `${draft.requirement} ${draft.settings.scheduler ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [draft]);
    else group.push(draft);
  }
  for (const [first, ...others] of groups.values()) {
    const requirement = requirements[first!.requirement]!;
    const asked = schedulers.filter(
      ({ name }) => first!.settings.scheduler === null || name === first!.settings.scheduler,
    );
    const bound = requirement.labels.filter((label) => label.startsWith(schedulerLabel('')));
    const open = asked.filter(({ name }) => bound.every((label) => label === schedulerLabel(name)));
    const misfits = open.map((scheduler) => schedulerMisfit(requirement, scheduler));
    if (misfits.includes(null)) continue;
    const reasons = open.map(({ name }, index) => `"${name}" ${misfits[index]}`);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    findings.warn(
      first!.path,
      open.length === 0
        ? `no scheduler has the labels of "${first!.name}"${more}`
        : `no scheduler fits "${first!.name}"${more}: ${reasons.join('; ')}`,
    );
  }
}
