import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';
import { durationOption } from '../options/duration-option.ts';

const TIME = /^(?:(\d{4})-(\d{2})-(\d{2})[T ])?(\d{1,2}):(\d{2})(?::(\d{2}))?$/;

/** Timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** When a run has to be over, by --time-limit and --end-time; the earlier one if both are given, null if none is. */
export function runEndsAt({ options }: Pick<Invocation, 'options'>, now: number): number | null {
  const duration = durationOption('--time-limit', options.timeLimit);
  const limits = [
    ...(duration === undefined ? [] : [now + duration]),
    ...(options.endTime === undefined ? [] : [readEndTime(String(options.endTime), now)]),
  ];
  return limits.length === 0 ? null : Math.min(...limits);
}

/** In local time; without a date it is the next time that the clock shows it. */
function readEndTime(text: string, now: number): number {
  const match = TIME.exec(text.trim());
  if (match === null) throw invalid(`must be a local time like 18:00 or 2026-03-01T18:00, not ${text}`);
  const [year, month, day, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const today = new Date(now);
  const date = match[1] === undefined ? today : new Date(year!, month! - 1, day!);
  const end = new Date(date.getFullYear(), date.getMonth(), date.getDate(), hours, minutes, seconds);
  const isDay = match[1] === undefined || (date.getMonth() === month! - 1 && date.getDate() === day);
  if (hours! > 23 || minutes! > 59 || seconds! > 59 || !isDay) throw invalid(`there is no time ${text}`);
  if (match[1] === undefined && end.getTime() <= now) end.setDate(end.getDate() + 1);
  if (end.getTime() <= now) throw invalid(`${text} is over`);
  return end.getTime();
}

/** Where this process runs no jobs, a limit would end nothing. */
export function refuseTimeLimit({ options }: Pick<Invocation, 'options'>, problem: string): void {
  for (const [key, argument] of [
    ['timeLimit', '--time-limit'],
    ['endTime', '--end-time'],
  ] as const) {
    if (options[key] !== undefined) throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
  }
}

/** Calls back at a time, however far away it is. Returns the way to stop. */
export function callAt(time: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    const left = time - Date.now();
    timer = left <= 0 ? setTimeout(callback, 0) : setTimeout(wait, Math.min(left, LONGEST_TIMER_MS));
  };
  wait();
  return () => clearTimeout(timer);
}

function invalid(problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: '--end-time', problem });
}
