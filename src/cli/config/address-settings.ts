type Parsed<T> = { value: T } | { problem: string };

/** `http://host:port`, with a path where a proxy has one; without a slash at its end. */
export function parseServer(raw: unknown): Parsed<string | null> {
  if (raw === null || raw === 'none') return { value: null };
  const url = typeof raw === 'string' ? readUrl(raw) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    return { problem: 'must be an address like http://127.0.0.1:7600' };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must have no password in it: a token is given with HOLDFAST_TOKEN' };
  }
  return { value: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
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

/** Tokens travel in a header: no spaces, nothing that is not printable. */
export function parseToken(raw: unknown): Parsed<string | null> {
  if (raw === null) return { value: null };
  return typeof raw === 'string' && /^[\x21-\x7e]{1,512}$/.test(raw)
    ? { value: raw }
    : { problem: 'must be a token as `holdfast token create` prints it' };
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
