const NAME = 'holdfast_token';
const LIFE_SECONDS = 30 * 24 * 3600;

/** The token that a browser was given by a login; undefined if there is none. */
export function tokenOfCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME && value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Scripts of a page cannot read it, and no other site can have it sent. */
export function cookieWith(token: string, secure: boolean): string {
  return cookie(token, LIFE_SECONDS, secure);
}

export function cookieRemoval(secure: boolean): string {
  return cookie('', 0, secure);
}

function cookie(value: string, maxAge: number, secure: boolean): string {
  return `${NAME}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
