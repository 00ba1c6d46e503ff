import type { ReactNode } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { type Tone, ToneIcon } from '../parts/status-icon.tsx';

/** One thing that waits: what it is, its facts, and what can be done about it. */
export function AttentionLine({
  tone = 'asks',
  title,
  actions,
  children,
}: {
  tone?: Tone;
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 grow basis-72 gap-3">
        <span className="pt-1">
          <ToneIcon tone={tone} />
        </span>
        <div className="min-w-0">
          <p className="font-semibold wrap-anywhere">{visibleText(title)}</p>
          <div className="text-sm text-quiet">{children}</div>
        </div>
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </li>
  );
}
