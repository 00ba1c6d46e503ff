import type { CountText } from '../request-progress.ts';
import type { OpenRound } from './explained-request.ts';

/** What the end of the open round leads to. */
export function openRoundText(
  { units, hold_at_units: most, rescues, max_rescues: all }: OpenRound,
  counted: CountText = String,
): string {
  const left = all - rescues;
  const rescue = left <= 0 ? 'no rescue is left' : `rescue ${rescues + 1} of ${all} follows`;
  return `if all units succeed, the round is closed; if fewer than ${counted(most)} of ${counted(units.total)} fail, ${rescue}; from ${counted(most)} on the request is held`;
}
