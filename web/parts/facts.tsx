import type { ReactNode } from 'react';

export type Fact = [name: string, value: ReactNode];

/** Small facts in one line, as many as fit. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1 border-t border-line pt-3 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-w-0 gap-1.5">
          <dt className="shrink-0 text-quiet">{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
