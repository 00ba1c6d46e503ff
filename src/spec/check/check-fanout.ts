import type { Findings } from '../findings.ts';
import type { JobDraft } from '../normalise/job-draft.ts';

/** What steps that make or join items must be like. */
export function checkFanout(
  drafts: readonly JobDraft[],
  onCall: ReadonlySet<number>,
  findings: Findings,
): void {
  for (const [job, { name, path, reduces, settings }] of drafts.entries()) {
    if (reduces && onCall.has(job)) {
      findings.error([...path, 'fanout'], `"${name}" is on call, so nothing comes before it to be joined`);
    }
    if (!settings.for_each) continue;
    const at = [...path, 'forEach'];
    if (onCall.has(job)) {
      findings.error(
        at,
        `"${name}" is on call, so nothing comes after it to run per item; make the list in a planned step`,
      );
    }
    if (settings.output === 'text') {
      findings.error(at, 'its output must be a list, and `output: text` never is; write `lines` or `json`');
    }
    // Items are named by paths such as list[0]/parts[2].
    if (/[/@[\]]/.test(name)) {
      findings.error(at, `a step with forEach gives its items their name: "${name}" must be without / @ [ ]`);
    }
  }
}
