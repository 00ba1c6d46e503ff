import type { z } from 'zod';
import type { claim, finishReport } from '../schemas/claim.ts';
import type {
  adoption,
  exchangeRequest,
  exchangeResult,
  heldAttempt,
  registeredWorker,
  resumedWorker,
  workerIdentity,
} from '../schemas/exchange.ts';

// What workers and the engine send each other. The schemas describe it; nothing here is loaded at run time.

export type WorkerIdentity = z.infer<typeof workerIdentity>;
export type RegisteredWorker = z.infer<typeof registeredWorker>;
export type ResumedWorker = z.infer<typeof resumedWorker>;
export type HeldAttempt = z.infer<typeof heldAttempt>;
export type Adoption = z.infer<typeof adoption>;

export type Exchange = z.infer<typeof exchangeRequest>;
export type Capacity = NonNullable<Exchange['capacity']>;
export type StartReport = Exchange['started'][number];
export type FinishReport = z.infer<typeof finishReport>;

export type ExchangeResult = z.infer<typeof exchangeResult>;
export type Claim = z.infer<typeof claim>;
