/** Who asks a server. */
export interface Tokens {
  token: string | null;
  /** For what only workers do; `token` does unless there is one. */
  workerToken?: string;
}

/** Where a server is, and who asks it. */
export interface ServerAddress extends Tokens {
  url: string;
  /** What files have now, since a token may be replaced while a process uses it; null: they cannot be read now. */
  readTokensAgain?(): Tokens | null;
}

type Read = { value: string } | { problem: string };

/** `http://host:port`, with a path where a proxy has one; without a slash at its end. */
export function readServerUrl(text: string): Read {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    return { problem: 'must be an address like http://127.0.0.1:7600' };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must have no password in it: a token is given with HOLDFAST_TOKEN' };
  }
  return { value: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

/** Tokens travel in a header: no spaces, nothing that is not printable. */
export function readToken(text: string): Read {
  return /^[\x21-\x7e]{1,512}$/.test(text)
    ? { value: text }
    : { problem: 'must be a token as `holdfast token create` prints it' };
}
