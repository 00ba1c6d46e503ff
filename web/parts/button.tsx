import type { ComponentProps } from 'react';

const KINDS = {
  main: 'bg-accent text-accent-text border-transparent hover:brightness-110',
  plain: 'bg-card border-line hover:bg-raised',
  danger: 'bg-card border-bad text-bad hover:bg-bad-ground',
} as const;

export type ButtonKind = keyof typeof KINDS;

export function Button({
  kind = 'plain',
  className = '',
  ...rest
}: ComponentProps<'button'> & { kind?: ButtonKind }) {
  return <button type="button" {...rest} className={`${buttonStyle(kind)} ${className}`} />;
}

/** Also for links that look like buttons. */
export function buttonStyle(kind: ButtonKind): string {
  return `inline-flex cursor-pointer items-center gap-1.5 rounded-md border px-3 py-1.5 text-sm font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-50 ${KINDS[kind]}`;
}
