/** A worker that has been silent for so long is suspect: it counts for no claim, and `status` shows it. */
export const SUSPECT_AFTER_MS = 30_000;

interface Leased {
  lease_ms: number;
  lease_expires_at: number;
}

/** When the worker was last heard of. Time during which no server was up is left out. */
export function heardAt({ lease_ms, lease_expires_at }: Leased): number {
  return lease_expires_at - lease_ms;
}

export function isSuspect(worker: Leased, now: number): boolean {
  return now - heardAt(worker) >= SUSPECT_AFTER_MS;
}
