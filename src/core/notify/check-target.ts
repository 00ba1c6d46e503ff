import type { SecretText } from './notify-model.ts';

const LONGEST_ADDRESS = 254;

/** What is wrong with the address of a webhook; null: nothing. */
export function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'must be an address like https://example.org/hook';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') {
    return `must begin with https:// or http://, not ${protocol}//`;
  }
  if (username !== '' || password !== '') {
    return 'must not have a user or a password before the host; put a secret into the path';
  }
  return null;
}

/** Only what can stand in a command of SMTP and in a header as it is. */
export function isMailAddress(text: string): boolean {
  return (
    text.length <= LONGEST_ADDRESS &&
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text)
  );
}

export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

/** Scheme and host: the rest of the address of a webhook is its secret. */
export function maskedUrl(url: SecretText): string {
  if (typeof url !== 'string') return 'env' in url ? `from $${url.env}` : `from ${url.file}`;
  if (!URL.canParse(url)) return '***';
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname === '/' && search === '' ? '' : '/***'}`;
}
