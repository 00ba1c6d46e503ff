const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const NO_TIME = /^(?:N\/A|n\/a|NONE|None|Unknown|Invalid|\(null\)|)$/;
const DURATION = /^(?:(\d+)-)?(?:(?:(\d+):)?(\d+):)?(\d+)$/;

/** A time as commands print it with TZ=UTC; null: none is known; undefined: not a time. */
export function parseSlurmTime(text: string): number | null | undefined {
  if (NO_TIME.test(text)) return null;
  return TIME.test(text) ? Date.parse(`${text}Z`) : undefined;
}

/** `1-12:00:00`, `10:00` (minutes) or `infinite` as `sinfo` prints them; null: no limit; undefined: not a duration. */
export function parseSlurmDuration(text: string): number | null | undefined {
  if (/^(?:infinite|unlimited|n\/a)$/i.test(text)) return null;
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000;
}
