import { HoldfastError } from '../core/errors.ts';
import { Client } from './client.ts';
import { readServerUrl, readToken } from './server-address.ts';

export interface ConnectOptions {
  /** HOLDFAST_TOKEN unless told. */
  token?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:7600';

/** A client of a server; HOLDFAST_SERVER unless told, else the one on this machine. Nothing is asked of it yet. */
export function connect(
  url: string | URL = process.env.HOLDFAST_SERVER || DEFAULT_URL,
  { token = process.env.HOLDFAST_TOKEN }: ConnectOptions = {},
): Client {
  // Files end with a line break, and so do tokens that were read from one.
  const secret = token?.trim() ?? '';
  return new Client({
    url: checked('url', readServerUrl(String(url))),
    token: secret === '' ? null : checked('token', readToken(secret)),
  });
}

function checked(argument: string, read: { value: string } | { problem: string }): string {
  if ('value' in read) return read.value;
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem: read.problem });
}
