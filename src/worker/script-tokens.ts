import type { Reports } from './outbox.ts';

// Attempts have positive tokens; those of scripts beside them must be others, and as unique.
export const postToken = (token: number) => -3 * token;
export const recoveryToken = (token: number) => -3 * token - 1;
export const actionToken = (actionId: number) => -3 * actionId - 2;

/** The tokens under which what the reports are about was launched. */
export function launchedTokens({ finished, recovered, acted }: Reports): number[] {
  return [
    ...finished.flatMap(({ token }) => [token, postToken(token)]),
    ...recovered.map(({ token }) => recoveryToken(token)),
    ...acted.map(({ action_id }) => actionToken(action_id)),
  ];
}
