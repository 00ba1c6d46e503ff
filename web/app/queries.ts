import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/call.ts';
import { noteError } from './session.ts';

const RETRIES = 2;

/** What is asked again by itself: nothing that the server refused. */
function mayTryAgain(failures: number, error: Error): boolean {
  return failures < RETRIES && (!(error instanceof ApiError) || error.status >= 502);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteError }),
  mutationCache: new MutationCache({ onError: noteError }),
  defaultOptions: {
    queries: {
      retry: mayTryAgain,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // The server reports changes; until then an answer is new.
      staleTime: Number.POSITIVE_INFINITY,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
