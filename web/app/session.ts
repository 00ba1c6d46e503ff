import { mayDo, type NeededRole, type Role } from '../../src/contract/roles.ts';
import { ApiError, ask } from '../api/call.ts';
import { SharedValue } from './shared-value.ts';

/** Who the server takes this browser for. */
export type Session =
  | { state: 'unknown' }
  /** It cannot be asked. */
  | { state: 'unreachable'; problem: string }
  /** A token is needed; `why`: what happened to the one before. */
  | { state: 'login'; why: string | null }
  | { state: 'in'; name: string; role: Role; auth: 'none' | 'token' };

const EXPIRED = 'Your token is no longer valid: it has expired or was revoked. Sign in with another one.';

const session = new SharedValue<Session>({ state: 'unknown' });

export const useSession = session.use;

/** Buttons that the caller may not press are not shown. */
export function useMay(needed: NeededRole): boolean {
  const known = useSession();
  return known.state === 'in' && mayDo(known.role, needed);
}

export async function loadSession(): Promise<void> {
  try {
    const caller = (await (await ask('/api/v1/whoami')).json()) as Omit<
      Extract<Session, { state: 'in' }>,
      'state'
    >;
    session.set({ state: 'in', ...caller });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      // The browser still has a cookie from before.
      session.set({ state: 'login', why: error.isTokenInvalid ? EXPIRED : null });
    } else session.set({ state: 'unreachable', problem: (error as Error).message });
  }
}

/** The server keeps the token in a cookie that scripts cannot read. */
export async function signIn(token: string): Promise<void> {
  await ask('/api/v1/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  await loadSession();
}

export async function signOut(): Promise<void> {
  await ask('/api/v1/logout', { method: 'POST' });
  session.set({ state: 'login', why: null });
}

/** Called with every error of the API: a token may end at any time. */
export function noteError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401 && session.value.state === 'in') {
    session.set({ state: 'login', why: EXPIRED });
  }
}
