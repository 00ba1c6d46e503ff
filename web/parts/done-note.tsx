import { visibleText } from '../../src/views/visible-text.ts';

/** What was just done, for eyes and for screen readers. */
export function DoneNote({ words }: { words: string | null }) {
  return (
    <div role="status" className="empty:hidden">
      {words !== null && (
        <p className="rounded-lg border border-line bg-card px-4 py-2 text-sm wrap-anywhere">
          {visibleText(words)}
        </p>
      )}
    </div>
  );
}
