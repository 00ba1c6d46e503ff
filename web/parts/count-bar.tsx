import { StatusMark, TONES, type Tone } from './status-icon.tsx';

/** Some of a whole that stand alike. */
export interface Share {
  tone: Tone;
  words: string;
  count: number;
  /** The rest of the bar: counted in the legend, and not drawn. */
  isOpen?: boolean;
}

/** Parts of a whole as a bar, in the order of its legend; however many there are, it has a part for each kind. */
export function CountBar({ label, shares }: { label: string; shares: Share[] }) {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  const text = shares
    .filter(({ count }) => count > 0)
    .map(({ count, words }) => `${count.toLocaleString('en-GB')} ${words}`)
    .join(', ');
  return (
    <div
      role="img"
      aria-label={`${label}: ${text === '' ? 'nothing' : text}`}
      className="flex h-2.5 w-full gap-px overflow-hidden rounded-full bg-raised"
    >
      {shares
        .filter(({ count, isOpen }) => count > 0 && isOpen !== true)
        .map(({ tone, words, count }) => (
          <span
            key={words}
            title={`${count.toLocaleString('en-GB')} ${words}`}
            className={`min-w-[3px] ${TONES[tone].ground}`}
            style={{ width: `${(count / total) * 100}%` }}
          />
        ))}
    </div>
  );
}

/** `12 done, 1 failed`, each with its shape. */
export function ShareLegend({ shares }: { shares: Share[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {shares
        .filter(({ count }) => count > 0)
        .map(({ tone, words, count }) => (
          <li key={words}>
            <StatusMark tone={tone}>
              {count.toLocaleString('en-GB')} {words}
            </StatusMark>
          </li>
        ))}
    </ul>
  );
}
