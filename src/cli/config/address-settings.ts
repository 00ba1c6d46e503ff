import { readServerUrl, readToken } from '../../client/transport/server-address.ts';

type Parsed<T> = { value: T } | { problem: string };

export function parseServer(raw: unknown): Parsed<string | null> {
  if (raw === null || raw === 'none') return { value: null };
  return readServerUrl(typeof raw === 'string' ? raw : '');
}

/** What stands behind it is checked by who connects. */
export function parseDatabaseUrl(raw: unknown): Parsed<string | null> {
  if (raw === null || raw === 'none') return { value: null };
  return typeof raw === 'string' && isPostgresUrl(raw) && readUrl(raw) !== null
    ? { value: raw }
    : { problem: 'must be an address like postgres://user@host/name' };
}

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

export function parseToken(raw: unknown): Parsed<string | null> {
  if (raw === null) return { value: null };
  return readToken(typeof raw === 'string' ? raw : '');
}

const HIDDEN = '***';

/** The address with its passwords hidden, wherever it has them. */
export function maskDatabaseUrl(text: string): string {
  const url = readUrl(text);
  if (url === null) return HIDDEN;
  if (url.password !== '') url.password = HIDDEN;
  for (const name of [...url.searchParams.keys()]) {
    if (/password|secret|token/i.test(name)) url.searchParams.set(name, HIDDEN);
  }
  return url.href;
}

export function maskToken(token: string | null): string | null {
  return token === null ? null : HIDDEN;
}

function readUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
