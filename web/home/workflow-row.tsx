import type { WorkflowSummary } from '../../src/contract/records/overview.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { endedCount, jobCount, workflowState } from '../../src/views/workflow-state.ts';
import { Link } from '../app/link.tsx';
import { ownerText, useHasOwners } from '../app/owner.ts';
import { pageUrl } from '../app/router.ts';
import { ProgressBar } from '../parts/progress.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';
import { workflowTone } from '../workflow/workflow-tone.ts';

export function WorkflowRow({ summary }: { summary: WorkflowSummary }) {
  const { workflow, counts, request } = summary;
  const hasOwners = useHasOwners();
  const user = hasOwners && workflow.user === workflow.owner ? null : workflow.user;
  const state = workflowState(summary);
  const total = jobCount(counts);
  return (
    <li className="relative grid gap-x-6 gap-y-2 px-4 py-3 hover:bg-raised/60 md:grid-cols-[minmax(0,1fr)_12rem_14rem]">
      <div className="min-w-0">
        <Link
          to={pageUrl('workflow', { workflow_id: workflow.id })}
          className="font-semibold wrap-anywhere after:absolute after:inset-0 hover:underline"
        >
          {visibleText(workflow.name)}
        </Link>
        <p className="truncate text-sm text-quiet">
          #{workflow.id} ·{' '}
          {[hasOwners && ownerText(workflow), user, workflow.project, request && `request ${request}`]
            .filter(Boolean)
            .map((text) => `${visibleText(String(text))} · `)}
          <TimeText at={workflow.created_at_ms} />
        </p>
      </div>
      <div className="self-center text-sm">
        <StatusMark tone={workflowTone(state)}>{state}</StatusMark>
      </div>
      <div className="self-center">
        <ProgressBar counts={counts} label={`Progress of ${workflow.name}`} />
        <p className="mt-1 text-xs text-quiet">
          {endedCount(counts).toLocaleString('en-GB')} of {counted(total, 'job')} ended
          {counts.failed + counts.terminated > 0 &&
            `, ${(counts.failed + counts.terminated).toLocaleString('en-GB')} failed`}
        </p>
      </div>
    </li>
  );
}
