import { useMemo } from 'react';
import type { StatusCounts } from '../../src/contract/records/records.ts';
import { JOB_STATUSES, type JobStatus } from '../../src/core/job/job-status.ts';
import { presentStatuses } from '../../src/views/workflow-state.ts';
import { setQuery } from '../app/router.ts';
import { SearchField } from '../parts/field.tsx';
import { statusWords, ToneIcon, toneOf } from '../parts/status-icon.tsx';
import { ViewBar } from '../saved-views/view-bar.tsx';

/** Statuses by their names in the address. */
export function useStatuses(text: string): JobStatus[] {
  return useMemo(() => JOB_STATUSES.filter((each) => text.split(',').includes(each)), [text]);
}

/** Which jobs are shown: by status, and by a part of the name or a pattern. Both are in the address. */
export function JobFilters({
  counts,
  statuses,
  name,
}: {
  counts: StatusCounts;
  statuses: JobStatus[];
  name: string;
}) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <StatusFilter counts={counts} chosen={statuses} />
      <ViewBar list="jobs" />
      <div className="w-full sm:ml-auto sm:w-56">
        <SearchField
          label="Search jobs by name"
          title="A part of the name, or a pattern such as sim_*"
          value={name}
          onChange={(event) => setQuery({ name: event.target.value })}
        />
      </div>
    </div>
  );
}

/** Statuses that jobs have, each to be shown alone or with others. */
function StatusFilter({ counts, chosen }: { counts: StatusCounts; chosen: JobStatus[] }) {
  const shown = [...new Set([...presentStatuses(counts), ...chosen])];
  const toggle = (status: JobStatus) => {
    const next = chosen.includes(status) ? chosen.filter((each) => each !== status) : [...chosen, status];
    setQuery({ status: next.join(',') });
  };
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Only jobs with these statuses</legend>
      {shown.map((status) => (
        <button
          key={status}
          type="button"
          aria-pressed={chosen.includes(status)}
          onClick={() => toggle(status)}
          className={`inline-flex cursor-pointer items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-sm ${chosen.includes(status) ? 'border-accent bg-raised font-medium' : 'border-line bg-card hover:bg-raised'}`}
        >
          <ToneIcon tone={toneOf(status)} />
          {statusWords(status)}
          <span className="text-quiet">{counts[status].toLocaleString('en-GB')}</span>
        </button>
      ))}
    </fieldset>
  );
}
