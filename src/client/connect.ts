import { HoldfastError } from '../core/errors.ts';
import { Client } from './client.ts';
import { readServerUrl, readToken } from './transport/server-address.ts';

export interface ConnectOptions {
  /** HOLDFAST_TOKEN if absent. */
  token?: string;
  /** Seconds that `wait`, `logs` and `events` wait for a server that does not answer (default: 600). */
  reconnectTimeout?: number;
  /** Called when the server stops answering a caller that waits, and when it answers again. */
  onOutage?: (line: string) => void;
}

const RECONNECT_SECONDS = 600;
const DEFAULT_URL = 'http://127.0.0.1:7600';

/** A client of a server; HOLDFAST_SERVER if absent, else the one on this machine. Nothing is asked of it yet. */
export function connect(
  url: string | URL = process.env.HOLDFAST_SERVER || DEFAULT_URL,
  {
    token = process.env.HOLDFAST_TOKEN,
    reconnectTimeout = RECONNECT_SECONDS,
    onOutage = () => {},
  }: ConnectOptions = {},
): Client {
  // Files end with a line break, and so do tokens that were read from one.
  const secret = token?.trim() ?? '';
  if (!(reconnectTimeout >= 0)) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'reconnectTimeout',
      problem: 'must be a number of seconds, 0 or more',
    });
  }
  return new Client(
    {
      url: checked('url', readServerUrl(String(url))),
      token: secret === '' ? null : checked('token', readToken(secret)),
    },
    { patienceMs: reconnectTimeout * 1000, notify: onOutage },
  );
}

function checked(argument: string, read: { value: string } | { problem: string }): string {
  if ('value' in read) return read.value;
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem: read.problem });
}
