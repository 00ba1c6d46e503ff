import { HoldfastError } from '../core/errors.ts';
import { Client } from './client.ts';

export interface ConnectOptions {
  /** HOLDFAST_TOKEN unless told. */
  token?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:7600';

/** A client of a server; HOLDFAST_SERVER unless told, else the one on this machine. Nothing is asked of it yet. */
export function connect(
  url: string = process.env.HOLDFAST_SERVER || DEFAULT_URL,
  { token = process.env.HOLDFAST_TOKEN }: ConnectOptions = {},
): Client {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'url',
      problem: `must be an address like ${DEFAULT_URL}`,
    });
  }
  return new Client({ url, token: token === undefined || token === '' ? null : token });
}
