import type { AttentionItem, PendingFailures } from '../../contract/records/overview.ts';
import type { WorkerRecord } from '../../contract/records/records.ts';
import type { RequestSummary, SiteRecord } from '../../contract/records/request.ts';

/** Failures that look alike in one workflow or in several. */
export interface PendingGroup {
  fingerprint: string;
  error: string;
  jobs: number;
  /** When the last of them failed. */
  finished_at_ms: number;
  /** Those with most jobs first. */
  workflows: PendingFailures[];
}

/** The largest groups first, as the server lists them. */
export function pendingGroups(items: readonly AttentionItem[]): PendingGroup[] {
  const groups = new Map<string, PendingGroup>();
  for (const item of items) {
    if (item.kind !== 'failures') continue;
    const { fingerprint, error, jobs, finished_at_ms } = item;
    const group = groups.get(fingerprint) ?? { fingerprint, error, jobs: 0, finished_at_ms, workflows: [] };
    group.jobs += jobs;
    group.finished_at_ms = Math.max(group.finished_at_ms, finished_at_ms);
    group.workflows.push(item);
    groups.set(fingerprint, group);
  }
  return [...groups.values()].sort((a, b) => b.jobs - a.jobs);
}

export function pausedSchedulers(items: readonly AttentionItem[]) {
  return items.filter((item) => item.kind === 'scheduler');
}

/** Requests that a person has to release, fail or restart. */
export function heldRequests(requests: readonly RequestSummary[]): RequestSummary[] {
  return requests.filter(({ hold }) => hold !== null);
}

export function silentWorkers(items: readonly AttentionItem[]): WorkerRecord[] {
  return items.flatMap((item) => (item.kind === 'worker' ? item.worker : []));
}

/** Bans that end within this time are shown: whoever still has evidence against a site can renew them. */
const SOON_MS = 24 * 3_600_000;

/** Bans that end soon, the first one first. */
export function endingBans(sites: readonly SiteRecord[], now: number): SiteRecord['bans'] {
  return sites
    .flatMap(({ bans }) => bans)
    .filter(({ expires_at_ms: end }) => end !== null && end > now && end - now < SOON_MS)
    .sort((a, b) => a.expires_at_ms! - b.expires_at_ms!);
}
