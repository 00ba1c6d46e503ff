import { useEffect, useState } from 'react';
import { formatDuration } from '../../src/core/text/quantity.ts';

/** The time, again and again while the component is shown. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function clockTime(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}

/** The day and the time, as a person in this place writes it. */
export function fullTime(ms: number): string {
  return new Date(ms).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `2h05m ago`, or `in 3m00s`. */
export function timeFrom(ms: number, now: number): string {
  const distance = Math.abs(now - ms);
  if (distance < 1_000) return 'now';
  const text = formatDuration(Math.floor(distance / 1_000) * 1_000);
  return ms <= now ? `${text} ago` : `in ${text}`;
}
