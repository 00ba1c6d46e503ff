import type { RegisteredWorker, WorkerIdentity } from '../../contract/records/exchange.ts';
import { LEASE_MS } from '../../core/worker/lease.ts';
import { hashOf } from '../../host/secret.ts';
import { findWorker, insertWorker } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';
import { workerRecord } from '../records/records.ts';
import { auditWorker } from './audit-worker.ts';
import { linkAllocation } from './link-allocation.ts';
import { givePredecessorsUp } from './sweep-workers.ts';

/** Stores a new worker and the hash of its secret. Earlier workers of its directory are dead. */
export function* registerWorker(
  identity: WorkerIdentity,
  secret: string,
  actor: string | undefined,
  now: number,
): Script<RegisteredWorker> {
  const leaseMs = identity.lease_ms ?? LEASE_MS;
  const id = yield* insertWorker(identity, now, leaseMs, actor ?? null, hashOf(secret));
  if (identity.directory !== undefined) yield* givePredecessorsUp(id, now);
  yield* linkAllocation(id, identity, now);
  const worker = (yield* findWorker(id))!;
  if (actor !== undefined) yield* auditWorker(worker, 'worker_registered', actor, now);
  return { ...workerRecord(worker, true, now), secret };
}
