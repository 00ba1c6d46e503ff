import type { StatusCounts } from '../../src/contract/records/records.ts';
import { endedCount, jobCount, presentStatuses } from '../../src/views/workflow-state.ts';
import { StatusMark, statusWords, TONES, toneOf } from './status-icon.tsx';

/** Jobs by status as a bar. Its parts are in the order in which the legend names them. */
export function ProgressBar({ counts, label }: { counts: StatusCounts; label: string }) {
  const total = jobCount(counts);
  const ended = endedCount(counts);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
      aria-valuetext={`${ended} of ${total} jobs have ended`}
      className="flex h-2 w-full gap-px overflow-hidden rounded-full bg-raised"
    >
      {presentStatuses(counts)
        .filter((status) => !['ready', 'blocked', 'uninitialized'].includes(status))
        .map((status) => (
          <span
            key={status}
            title={`${counts[status]} ${statusWords(status)}`}
            className={`min-w-[3px] ${TONES[toneOf(status)].ground}`}
            style={{ width: `${(counts[status] / total) * 100}%` }}
          />
        ))}
    </div>
  );
}

/** `12 completed, 1 failed`, each with its shape. */
export function CountsLegend({ counts }: { counts: StatusCounts }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {presentStatuses(counts).map((status) => (
        <li key={status}>
          <StatusMark tone={toneOf(status)}>
            {counts[status].toLocaleString('en-GB')} {statusWords(status)}
          </StatusMark>
        </li>
      ))}
    </ul>
  );
}

/** A share of something else than jobs. */
export function ShareBar({ share, label, text }: { share: number; label: string; text: string }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={text}
      className="h-2 w-full overflow-hidden rounded-full bg-raised"
    >
      <span className="block h-full bg-good" style={{ width: `${Math.min(1, share) * 100}%` }} />
    </div>
  );
}
