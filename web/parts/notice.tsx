import type { ReactNode } from 'react';
import { ApiError } from '../api/call.ts';
import { CodeText } from './code-text.tsx';

const KINDS = {
  plain: 'border-line bg-card',
  bad: 'border-bad bg-bad-ground',
  asks: 'border-asks bg-asks-ground',
} as const;

/** A box that says one thing. */
export function Notice({
  kind,
  title,
  children,
}: {
  kind: keyof typeof KINDS;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div role={kind === 'bad' ? 'alert' : undefined} className={`rounded-lg border px-4 py-3 ${KINDS[kind]}`}>
      <p className="font-semibold wrap-anywhere">{title}</p>
      {children !== undefined && <div className="mt-1 text-sm text-quiet">{children}</div>}
    </div>
  );
}

/** A refusal of the server, in its own words. */
export function Problem({ error }: { error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Notice kind="bad" title={capitalised(message)}>
      {error instanceof ApiError ? <CodeText text={capitalised(error.hint)} /> : undefined}
    </Notice>
  );
}

/** Messages of the server begin in lower case, as part of a line. */
export function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
