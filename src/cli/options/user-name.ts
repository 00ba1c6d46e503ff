import { userInfo } from 'node:os';

/** Who types: the actor in the audit trail. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no user has.
    return process.env.USER || `uid ${process.getuid?.() ?? '?'}`;
  }
}
