import { HoldfastError } from '../../core/errors.ts';

export type AuthMode = 'none' | 'token';

/** Without auth, nobody but this machine may be able to reach the server. */
export function checkListen(host: string, auth: AuthMode): void {
  if (auth === 'none' && !isLoopback(host)) throw new HoldfastError('AUTH_REQUIRED', { address: host });
}

/** Names other than `localhost` may mean anything. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
