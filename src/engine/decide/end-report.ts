import type { FinishReport } from '../../contract/records/exchange.ts';
import type { PostResult } from '../../core/job/post-result.ts';

/** The end of an attempt as far as it is known: what its worker reported, and what its errands added. */
export type ObservedEnd = FinishReport & { post?: PostResult };

/** How an attempt ended, and what is to be said about that besides. */
export type EndReport = Omit<ObservedEnd, 'token'> & { note?: string };
