import { visibleText } from '../../src/views/visible-text.ts';

interface CheckedRule {
  rule: string;
  applies: boolean;
  because: string;
}

/** Every rule that was checked, in order; the one that decided is marked. */
export function RuleWalk({ walk }: { walk: readonly CheckedRule[] }) {
  if (walk.length === 0) return null;
  return (
    <ol className="mt-2 text-sm" aria-label="Rules that were checked">
      {walk.map(({ rule, applies, because }) => (
        <li
          key={rule}
          className={`grid gap-x-3 px-2 py-0.5 sm:grid-cols-[11rem_minmax(0,1fr)] ${applies ? 'rounded bg-text/5 font-semibold text-text' : 'text-quiet'}`}
        >
          <span className="font-mono text-xs leading-6">
            <span aria-hidden="true">{applies ? '→ ' : '\u00a0\u00a0'}</span>
            {rule}
            {applies && <span className="sr-only"> (decided)</span>}
          </span>
          <span className="wrap-anywhere">{visibleText(because)}</span>
        </li>
      ))}
    </ol>
  );
}
