import { CodeText } from './code-text.tsx';
import { counted } from './words.ts';

interface CheckedRule {
  rule: string;
  applies: boolean;
  because: string;
}

/** Every rule that was checked; those that do not say anything are folded. */
export function RuleWalk({
  walk,
  says = () => true,
}: {
  walk: readonly CheckedRule[];
  says?: (step: CheckedRule) => boolean;
}) {
  const folded = walk.filter((step) => !says(step));
  return (
    <>
      <Rules label="Rules that were checked" walk={walk.filter(says)} />
      {folded.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="cursor-pointer text-quiet">
            {counted(folded.length, 'rule')} did not apply
          </summary>
          <Rules label="Rules that did not apply" walk={folded} />
        </details>
      )}
    </>
  );
}

/** In the order in which they were checked; the one that decided is marked. */
function Rules({ label, walk }: { label: string; walk: readonly CheckedRule[] }) {
  if (walk.length === 0) return null;
  return (
    <ol className="mt-2 text-sm" aria-label={label}>
      {walk.map(({ rule, applies, because }) => (
        <li
          key={rule}
          className={`grid gap-x-3 px-2 py-0.5 sm:grid-cols-[11rem_minmax(0,1fr)] sm:items-baseline ${applies ? 'rounded bg-text/5 font-semibold text-text' : 'text-quiet'}`}
        >
          <span className="font-mono text-xs">
            <span aria-hidden="true">{applies ? '→ ' : '\u00a0\u00a0'}</span>
            {rule}
            {applies && <span className="sr-only"> (decided)</span>}
          </span>
          <span className="wrap-anywhere">
            <CodeText text={because} />
          </span>
        </li>
      ))}
    </ol>
  );
}
