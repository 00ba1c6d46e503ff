import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import type { JobRecord } from '../../src/contract/records/records.ts';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { StatusMark, statusWords, toneOf } from '../parts/status-icon.tsx';

const ROW_PX = 41;
const features = tableFeatures({});
const helper = createColumnHelper<typeof features, JobRecord>();

const COLUMNS = helper.columns([
  helper.display({
    id: 'job',
    header: 'Job',
    cell: ({ row: { original: job } }) => (
      <Link
        to={pageUrl('job', { workflow_id: job.workflow_id, job_id: job.id })}
        title={jobLabel(job)}
        className="block truncate font-semibold hover:underline"
      >
        {visibleText(jobLabel(job))}
      </Link>
    ),
  }),
  helper.display({
    id: 'status',
    header: 'Status',
    cell: ({ row: { original: job } }) => (
      // Beside the words for a decision, a phone has no room for names.
      <StatusMark tone={toneOf(job.status)}>
        <span className="truncate max-sm:max-w-24">{statusWords(job.status)}</span>
      </StatusMark>
    ),
  }),
  helper.display({
    id: 'attempt',
    header: 'Attempt',
    cell: ({ row: { original: job } }) => (
      <span className="tabular-nums">{hasRun(job) ? job.attempt_id : '-'}</span>
    ),
  }),
  helper.display({
    id: 'reason',
    header: 'Why',
    cell: ({ row: { original: job } }) => (
      <span title={job.reason ?? ''} className="block truncate text-quiet">
        {visibleText(job.reason ?? '')}
      </span>
    ),
  }),
]);

/** A job that has not run yet has the number of its first attempt all the same. */
function hasRun({ attempt_id, status }: JobRecord): boolean {
  return attempt_id > 1 || !['uninitialized', 'blocked', 'ready', 'disabled'].includes(status);
}

const WIDTHS = {
  job: 'min-w-0 grow basis-48',
  status: 'w-30 shrink-0 sm:w-52',
  attempt: 'hidden w-16 shrink-0 md:block',
  reason: 'hidden min-w-0 grow basis-64 md:block',
} as Record<string, string>;

/** Only rows that can be seen are in the page, however many were read. */
export function JobTable({
  jobs,
  chosen,
  onChoose,
  onEnd,
}: {
  jobs: JobRecord[];
  chosen: ReadonlyMap<number, string>;
  /** null: nothing can be done with jobs that are chosen. */
  onChoose: ((chosen: ReadonlyMap<number, string>) => void) | null;
  onEnd: () => void;
}) {
  const table = useTable({ features, columns: COLUMNS, data: jobs, getRowId: (job) => String(job.id) });
  const { rows } = table.getRowModel();
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const isNearEnd = useMemo(() => last >= rows.length - 20, [last, rows.length]);
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);

  const toggle = ({ id, ...job }: JobRecord) => {
    const next = new Map(chosen);
    if (!next.delete(id)) next.set(id, jobLabel(job));
    onChoose?.(next);
  };
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-card">
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a virtual table are placed by themselves */}
      <div role="table" aria-label="Jobs" aria-rowcount={-1} className="text-sm">
        {table.getHeaderGroups().map((group) => (
          // biome-ignore lint/a11y: as above
          <div
            key={group.id}
            role="row"
            className="flex gap-3 border-b border-line bg-raised px-3 py-2 text-quiet sm:gap-4 sm:px-4"
          >
            {onChoose !== null && (
              // biome-ignore lint/a11y: as above
              <span role="columnheader" className="w-4 shrink-0">
                <span className="sr-only">Chosen</span>
              </span>
            )}
            {group.headers.map((header) => (
              // biome-ignore lint/a11y: as above
              <span key={header.id} role="columnheader" className={WIDTHS[header.id]}>
                <table.FlexRender header={header} />
              </span>
            ))}
          </div>
        ))}
        {/* biome-ignore lint/a11y: as above */}
        <div ref={frame} role="rowgroup" tabIndex={0} className="max-h-[65dvh] overflow-y-auto">
          <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ index, start }) => {
              const row = rows[index]!;
              const job = row.original;
              return (
                // biome-ignore lint/a11y: as above
                <div
                  key={row.id}
                  role="row"
                  aria-rowindex={index + 2}
                  className="absolute inset-x-0 flex items-center gap-3 border-b border-line px-3 hover:bg-raised/60 sm:gap-4 sm:px-4"
                  style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
                >
                  {onChoose !== null && (
                    // biome-ignore lint/a11y: as above
                    <span role="cell" className="flex w-4 shrink-0">
                      <input
                        type="checkbox"
                        aria-label={`Choose ${jobLabel(job)}`}
                        checked={chosen.has(job.id)}
                        onChange={() => toggle(job)}
                        className="size-4 accent-accent"
                      />
                    </span>
                  )}
                  {row.getAllCells().map((cell) => (
                    // biome-ignore lint/a11y: as above
                    <span key={cell.id} role="cell" className={WIDTHS[cell.column.id]}>
                      <table.FlexRender cell={cell} />
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
