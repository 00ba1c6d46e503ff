import { useId } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { counted } from '../parts/words.ts';

interface TallyRow {
  name: string;
  text: string;
  /** From 0 to 1. */
  share: number;
}

const SHOWN = 8;

/** Names with a count and a bar each. */
export function Tally({ title, rows }: { title: string; rows: TallyRow[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <h3 id={id} className="mb-1.5 text-sm font-semibold">
        {title}
      </h3>
      <ul className="flex flex-col gap-1.5 text-sm">
        {rows.slice(0, SHOWN).map(({ name, text, share }) => (
          <li key={name}>
            <div className="flex justify-between gap-3">
              <span className="truncate" title={visibleText(name)}>
                {visibleText(name)}
              </span>
              <span className="whitespace-nowrap text-quiet">{text}</span>
            </div>
            <div aria-hidden="true" className="mt-0.5 h-1.5 overflow-hidden rounded-full bg-raised">
              <span className="block h-full bg-bad" style={{ width: `${share * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
      {rows.length > SHOWN && (
        <p className="mt-1 text-xs text-quiet">and {counted(rows.length - SHOWN, 'other')}</p>
      )}
    </section>
  );
}
