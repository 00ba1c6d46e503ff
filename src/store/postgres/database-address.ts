import { HoldfastError } from '../../core/errors.ts';

/** Where a database is, and how it is called in messages: without the password. */
export interface DatabaseAddress {
  url: string;
  name: string;
  /** The text without anything secret that is in the address. */
  scrub(text: string): string;
}

/** Reads `postgres://user:password@host:port/database`. */
export function readDatabaseUrl(url: string): DatabaseAddress {
  const parsed = parse(url);
  if (parsed === undefined) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'DATABASE_URL',
      problem: 'it is no address of a database, such as postgres://user:password@host:5432/database',
    });
  }
  const secrets = [
    parsed.password,
    decode(parsed.password),
    parsed.searchParams.get('password') ?? '',
  ].filter((secret) => secret !== '');
  return {
    url,
    name: `${parsed.hostname || 'localhost'}:${parsed.port || 5432}${parsed.pathname}`,
    scrub: (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text),
  };
}

/** The error of the parser is dropped on purpose: it holds the whole address. */
function parse(url: string): URL | undefined {
  try {
    const parsed = new URL(url);
    return ['postgres:', 'postgresql:'].includes(parsed.protocol) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
