import type { PastDecisions as Past } from '../../src/contract/records/resolution.ts';
import { formatDuration, formatSize } from '../../src/core/text/quantity.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { TimeText } from '../parts/time-text.tsx';

const BECAME = { succeeded: 'it succeeded', failed_again: 'it failed again', open: 'not ended yet' };

/** What people and agents decided about failures that look like these, and how that turned out. */
export function PastDecisions({ past }: { past: Past }) {
  const { retried, succeeded, failed_again, failed, latest } = past;
  return (
    <section aria-label="Past decisions" className="mt-4">
      <h3 className="mb-1 text-sm font-semibold">Past decisions about such failures</h3>
      {retried + failed === 0 ? (
        <p className="text-sm text-quiet">None: this is the first time.</p>
      ) : (
        <>
          <p className="text-sm">
            {retried} retried ({succeeded} succeeded, {failed_again} failed again), {failed} failed for good.
          </p>
          <ul className="mt-1 text-sm text-quiet">
            {latest.map(({ id, action, actor, reason, decided_at_ms, became, memory_bytes, runtime_ms }) => (
              <li key={id} className="wrap-anywhere">
                <TimeText at={decided_at_ms} />: {visibleText(actor)} decided to {action}
                {memory_bytes !== null && ` with ${formatSize(memory_bytes)} of memory`}
                {runtime_ms !== null && ` with a runtime of ${formatDuration(runtime_ms)}`}
                {reason !== null && `: ${visibleText(reason)}`}
                {became !== null && `; ${BECAME[became]}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
