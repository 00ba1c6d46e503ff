import type { AuditRecord } from '../../contract/records/records.ts';
import type { RequestRecord, RoundRecord } from '../../contract/records/request.ts';
import type { RoundBan, RoundDecision, UnitCounts } from '../../core/request/decide-round.ts';
import { type CountText, unitsText } from '../request-progress.ts';
import { runNames } from './run-names.ts';

/** Why a request is where it is. */
export interface ExplainedRequest {
  request_name: string;
  version: number;
  status: RequestRecord['status'];
  /** In one sentence. */
  why: string;
  /** What was decided when a run of a round ended last; null: none has. */
  decided: DecidedRun | null;
  /** What the open round may still do; null without one. */
  open_round: OpenRound | null;
  /** What happened to it last, newest first. */
  history: AuditRecord[];
  superseded_by_request: string | null;
  next: RequestRecord['next'];
}

/** A run of a round that has ended, and what followed. */
export interface DecidedRun {
  round: number;
  run_id: number;
  /** `first run`, `rescue 2`, `after a stop`. */
  run: string;
  units: UnitCounts;
  decision: RoundDecision;
  bans: RoundBan[];
}

export interface OpenRound {
  number: number;
  run: string;
  units: UnitCounts;
  /** The request is held when so many of its units fail in one run. */
  hold_at_units: number;
  rescues: number;
  max_rescues: number;
}

/** `history`: newest first. */
export function explainedRequest(
  request: RequestRecord,
  history: readonly AuditRecord[],
  counted: CountText = String,
): ExplainedRequest {
  const { request_name, version, status, next, rounds, superseded_by_request } = request;
  const decided = rounds.flatMap((round) => decidedRuns(round)).at(-1) ?? null;
  return {
    request_name,
    version,
    status,
    why: whyOf(request, history, counted),
    decided,
    open_round: openRound(request),
    history: [...history],
    superseded_by_request,
    next,
  };
}

/** The runs of a round about which something was decided, in order. */
export function decidedRuns({ number, runs }: RoundRecord): DecidedRun[] {
  const names = runNames(runs);
  return runs.flatMap(({ run_id, units, decision, bans }, index) =>
    units === null || decision === null
      ? []
      : [{ round: number, run_id, run: names[index]!, units, decision, bans }],
  );
}

function openRound({ status, rounds, settings }: RequestRecord): OpenRound | null {
  const round = rounds.at(-1);
  if (round === undefined || status !== 'ACTIVE') return null;
  const { number, runs, units } = round;
  const threshold = Number(settings.error_hold_threshold);
  return {
    number,
    run: runNames(runs).at(-1)!,
    units,
    // As it is compared: the share of failed units, not a product that may be rounded up.
    hold_at_units: firstAtLeast(units.total, threshold),
    rescues: runs.filter(({ kind }) => kind === 'failure').length,
    max_rescues: Number(settings.error_max_rescue_attempts),
  };
}

function firstAtLeast(total: number, threshold: number): number {
  let count = Math.max(1, Math.floor(total * threshold) - 1);
  while (count < total && count / total < threshold) count += 1;
  return count;
}

function whyOf(request: RequestRecord, history: readonly AuditRecord[], counted: CountText): string {
  const { status, shared, hold, rounds, round_count, work, total, items } = request;
  const round = rounds.at(-1);
  switch (status) {
    case 'SUBMITTED':
      return 'it is being stored';
    case 'QUEUED': {
      const stopped =
        round?.state === 'STOPPED' ? `round ${round.number} was stopped and is resumed next; ` : '';
      return shared
        ? `${stopped}it waits until the server admits it: highest priority first, at most max_active_requests at a time`
        : `${stopped}no process works on it`;
    }
    case 'PLANNING':
      return `round ${round_count + 1} is being planned`;
    case 'ACTIVE':
      return `round ${round!.number} is at work, ${runNames(round!.runs).at(-1)}: ${unitsText(round!.units, counted)}`;
    case 'STOPPING':
      return `${by('stopped', history, 'request_stopping')}; its running attempts are being ended`;
    case 'RESUBMITTING':
      return 'it was stopped, and returns to the queue';
    case 'PAUSED':
      return by('paused', history, 'request_paused', 'request_stopping');
    case 'HELD':
      return hold!.text;
    case 'COMPLETED':
      return work === 'range'
        ? `all ${counted(total)} numbers are delivered`
        : `each of the ${counted(total)} items is processed or excluded (${counted(items!.excluded)} excluded)`;
    case 'FAILED':
      return by('failed', history, 'request_failed');
  }
}

/** `paused by ada: the disk is full`. */
function by(word: string, history: readonly AuditRecord[], ...actions: string[]): string {
  const entry = history.find(({ action }) => actions.includes(action));
  if (entry === undefined) return word;
  const reason = entry.data?.reason;
  return `${word} by ${entry.actor}${typeof reason === 'string' ? `: ${reason}` : ''}`;
}
