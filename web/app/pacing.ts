import type { Query } from '@tanstack/react-query';
import { queryClient } from './queries.ts';

/** What a server needs long for is read again at most once in so many times as long. */
const SHARE = 10;

/** An answer with how long it took. */
export interface Paced<T> {
  value: T;
  tookMs: number;
}

export async function paced<T>(read: () => Promise<T>): Promise<Paced<T>> {
  const began = performance.now();
  const value = await read();
  return { value, tookMs: performance.now() - began };
}

const waiting = new Set<string>();

/** Whether a query may be read again now; one that may not is read when its time has come. */
export function isDue({ state, queryHash, queryKey }: Query): boolean {
  const data = state.data as Partial<Paced<unknown>> | null | undefined;
  if (typeof data?.tookMs !== 'number') return true;
  const restMs = state.dataUpdatedAt + SHARE * data.tookMs - Date.now();
  if (restMs <= 0) return true;
  if (!waiting.has(queryHash)) {
    waiting.add(queryHash);
    setTimeout(() => {
      waiting.delete(queryHash);
      void queryClient.invalidateQueries({ queryKey, exact: true });
    }, restMs);
  }
  return false;
}
