import type { RequestRecord } from '../contract/records/request.ts';
import { formatDuration } from '../core/text/quantity.ts';

/** Writes a number of any size; `String` for what programs may read as well. */
export type CountText = (count: number | string) => string;

/** How far a request is, in words: where it stands, and what is known about the open round. */
export function requestProgressText(
  request: RequestRecord,
  now: number,
  counted: CountText = String,
): { headline: string; detail: string } {
  const { delivered, total } = request;
  const left = requestRemainingMs(request, now);
  return {
    headline: `${counted(delivered)} of ${counted(total)} delivered (${shareOf(delivered, total)} %)`,
    detail: [roundText(request, counted), left === null ? '' : `about ${formatDuration(left)} left`]
      .filter((part) => part !== '')
      .join(', '),
  };
}

/** `round 3, 12 of 40 units done, 1 failed, rescue 1, 2 items excluded`; '' before the first round. */
export function roundText(
  { rounds, items }: Pick<RequestRecord, 'rounds' | 'items'>,
  counted: CountText = String,
): string {
  const round = rounds.at(-1);
  const excluded = items?.excluded ?? 0;
  return [
    ...(round === undefined ? [] : [`round ${round.number}`, unitsText(round.units, counted)]),
    ...(round !== undefined && rescuesOf(round) > 0 ? [`rescue ${rescuesOf(round)}`] : []),
    ...(excluded === 0 ? [] : [`${counted(excluded)} ${excluded === 1 ? 'item' : 'items'} excluded`]),
  ].join(', ');
}

function rescuesOf({ runs }: RequestRecord['rounds'][number]): number {
  return runs.filter(({ kind }) => kind === 'failure').length;
}

export function unitsText(
  { total, done, failed, not_run }: RequestRecord['rounds'][number]['units'],
  counted: CountText = String,
): string {
  const others = [
    ...(failed > 0 ? [`${counted(failed)} failed`] : []),
    ...(not_run > 0 ? [`${counted(not_run)} not run`] : []),
  ];
  return [`${counted(done)} of ${counted(total)} units done`, ...others].join(', ');
}

/** What was delivered, and what is left of an inventory. */
export function ledgerText(
  {
    work,
    delivered,
    total,
    cursor,
    items,
  }: Pick<RequestRecord, 'work' | 'delivered' | 'total' | 'cursor' | 'items'>,
  counted: CountText = String,
): string {
  if (work === 'range') {
    return `delivered ${counted(delivered)} of ${counted(total)} numbers; the next number is ${counted(cursor!)}`;
  }
  const { processed, fresh, attempted, excluded } = items!;
  return `items: ${counted(processed)} processed, ${counted(fresh)} fresh, ${counted(attempted)} attempted, ${counted(excluded)} excluded, ${counted(total)} in all`;
}

/** Rounded down: never 100 before the end. The numbers may exceed what JavaScript holds exactly. */
function shareOf(delivered: string, total: string): number {
  const all = BigInt(total);
  return all === 0n ? 100 : Number((BigInt(delivered) * 100n) / all);
}

/**
 * Numbers or items that are finished, those of the open round included, and those that are wanted. What units of the open
 * run deliver is not in the ledger before the run ends; until then a unit counts as the average of those before.
 */
export function liveProgress({
  delivered,
  total,
  items,
  rounds,
  round_count,
}: Pick<RequestRecord, 'delivered' | 'total' | 'items' | 'rounds' | 'round_count'>): {
  done: number;
  wanted: number;
} {
  const wanted = Number(total) - (items?.excluded ?? 0);
  const credited = rounds.reduce((sum, round) => sum + creditedUnits(round), 0);
  const open = rounds.at(-1);
  if (open === undefined || credited === 0 || round_count > rounds.length)
    return { done: Number(delivered), wanted };
  const perUnit = Number(delivered) / credited;
  const fresh = Math.max(0, open.units.done - creditedUnits(open));
  return { done: Math.min(wanted, Number(delivered) + fresh * perUnit), wanted };
}

/** Units that were done when a run of the round ended last. */
function creditedUnits({ runs }: RequestRecord['rounds'][number]): number {
  return runs.findLast(({ units }) => units !== null)?.units?.done ?? 0;
}

/** An estimate from what was finished in the time that runs took; null if nothing is known. */
export function requestRemainingMs(request: RequestRecord, now: number): number | null {
  const { rounds, round_count, status, created_at_ms } = request;
  const { done, wanted } = liveProgress(request);
  if (status !== 'ACTIVE' || done === 0 || done >= wanted) return null;
  // Of the oldest of many rounds nothing is known but that they came after the request.
  const spent = round_count > rounds.length ? now - created_at_ms : workedMs(rounds, now);
  return Math.max(1, Math.round((spent * (wanted - done)) / done / 1000)) * 1000;
}

/** Time between runs, when the request was stopped or held, does not count. */
function workedMs(rounds: RequestRecord['rounds'], now: number): number {
  return rounds
    .flatMap(({ runs }) => runs)
    .reduce((sum, { started_at_ms: start, finished_at_ms: end }) => {
      return start === null ? sum : sum + Math.max(0, (end ?? now) - start);
    }, 0);
}
