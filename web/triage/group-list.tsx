import { useEffect, useRef } from 'react';
import type { FailureSummary } from '../../src/contract/records/resolution.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { counted } from '../parts/words.ts';

/** All groups, with the one that is looked at marked. */
export function GroupList({
  groups,
  index,
  onChoose,
}: {
  groups: FailureSummary[];
  index: number;
  onChoose: (index: number) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  // Keys lead to groups that are not in sight.
  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [index]);
  return (
    <nav aria-label="Groups of failures">
      <ol ref={list} className="-m-1 flex gap-2 overflow-x-auto p-1 lg:flex-col lg:overflow-visible">
        {groups.map(({ fingerprint, error, jobs, sample }, position) => (
          <li key={fingerprint} className="min-w-44 lg:min-w-0">
            <button
              type="button"
              aria-current={position === index ? 'true' : undefined}
              onClick={() => onChoose(position)}
              className={`w-full cursor-pointer rounded-lg border bg-card px-3 py-2 text-left ${position === index ? 'border-accent ring-1 ring-accent' : 'border-line hover:bg-raised'}`}
            >
              <span className="block truncate font-semibold">{visibleText(error)}</span>
              <span className="block truncate text-sm text-quiet">
                {counted(jobs, 'job')}: {visibleText(sample.name)}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
