import type { GraphGroup } from '../../../src/contract/records/overview.ts';
import { visibleText } from '../../../src/views/visible-text.ts';
import { endedCount, presentStatuses } from '../../../src/views/workflow-state.ts';
import { Link } from '../../app/link.tsx';
import { pageUrl } from '../../app/router.ts';
import { ProgressBar } from '../../parts/progress.tsx';
import { statusWords, ToneIcon, toneOf } from '../../parts/status-icon.tsx';
import { counted } from '../../parts/words.ts';

export const BOX = { width: 208, height: 74 };

const STYLE =
  'flex h-full w-full cursor-pointer flex-col justify-between rounded-lg border bg-card px-3 py-2 text-left shadow-sm hover:border-accent hover:bg-raised';

/** A group as a box: a link to its only job, or a button that lists its jobs. */
export function GroupNode({
  workflow,
  group,
  waitsFor,
  isOpen,
  onToggle,
}: {
  workflow: number;
  group: GraphGroup;
  waitsFor: string[];
  isOpen: boolean;
  onToggle: () => void;
}) {
  const { label, jobs, on_call, first_job_id } = group;
  const name = visibleText(label);
  const content = (
    <>
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 grow truncate text-sm font-semibold" title={name}>
          {name}
        </span>
        {on_call && <span className="shrink-0 text-xs text-quiet">on call</span>}
        {jobs > 1 && (
          <span className="shrink-0 text-xs text-quiet tabular-nums">×{jobs.toLocaleString('en-GB')}</span>
        )}
      </span>
      <ProgressBar counts={group.counts} label={name} />
      <Counts group={group} />
      {waitsFor.length > 0 && <span className="sr-only">, after {visibleText(waitsFor.join(', '))}</span>}
    </>
  );
  const border = isOpen ? 'border-accent ring-2 ring-accent' : 'border-line';
  if (jobs === 1)
    return (
      <Link
        to={pageUrl('job', { workflow_id: workflow, job_id: first_job_id })}
        className={`${STYLE} ${border}`}
      >
        {content}
      </Link>
    );
  return (
    <button type="button" aria-expanded={isOpen} onClick={onToggle} className={`${STYLE} ${border}`}>
      {content}
    </button>
  );
}

const SHOWN = 3;

/** `✓ 1,200 ✕ 3 ▶ 12`, or the status of the only job in words. */
function Counts({ group: { counts, jobs } }: { group: GraphGroup }) {
  const present = presentStatuses(counts);
  if (jobs === 1 || present.length === 1) {
    const [only] = present;
    if (only === undefined) return null;
    return (
      <span className="flex items-center gap-1 text-xs text-quiet">
        <ToneIcon tone={toneOf(only)} />
        {statusWords(only)}
      </span>
    );
  }
  return (
    <span className="flex items-center gap-2.5 overflow-hidden text-xs tabular-nums">
      {present
        .toSorted((a, b) => weight(b) - weight(a))
        .slice(0, SHOWN)
        .map((status) => (
          <span
            key={status}
            className="flex items-center gap-1 whitespace-nowrap"
            title={statusWords(status)}
          >
            <ToneIcon tone={toneOf(status)} />
            {counts[status].toLocaleString('en-GB')}
            <span className="sr-only"> {statusWords(status)}</span>
          </span>
        ))}
      {present.length > SHOWN && <span className="text-quiet">…</span>}
      <span className="sr-only">, {counted(endedCount(counts), 'job')} ended</span>
    </span>
  );
}

/** What people look for comes first. */
function weight(status: ReturnType<typeof presentStatuses>[number]): number {
  const order = ['blocked', 'ready', 'completed', 'running', 'failed', 'pending_failed'];
  return order.indexOf(status === 'terminated' ? 'failed' : status);
}
