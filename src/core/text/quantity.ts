const UNITS = { k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

/** `512m`, `2g`, `1.5GiB`, `100b` or bare bytes → bytes; undefined if it is none of these. */
export function parseSize(text: string | number): number | undefined {
  if (typeof text === 'number') return Number.isSafeInteger(text) && text >= 0 ? text : undefined;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt])?(?:i?b)?\s*$/i.exec(text);
  if (!match) return undefined;
  const unit = match[2] ? UNITS[match[2].toLowerCase() as keyof typeof UNITS] : 1;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

export function formatSize(bytes: number): string {
  for (const unit of ['t', 'g', 'm', 'k'] as const) {
    const value = bytes / UNITS[unit];
    if (value >= 1) return `${Number.isInteger(value) ? value : value.toFixed(1)}${unit}`;
  }
  return `${bytes}b`;
}

const DURATION_UNIT = 'ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?';
const WRITTEN_DURATION = new RegExp(`^(?:\\d+(?:\\.\\d+)? ?(?:${DURATION_UNIT})(?![a-z])\\s*)+$`);
const DURATION_PART = new RegExp(`(\\d+(?:\\.\\d+)?) ?(${DURATION_UNIT})(?![a-z])`, 'g');
const DURATION_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * `30s`, `1h30m`, `5 minutes`, ISO 8601 (`PT1H30M`, `P1DT2H`), or a bare number in `bareUnitMs` → milliseconds. What
 * is longer than a safe integer is no duration: databases store due times as whole numbers.
 */
export function parseDuration(text: string | number, bareUnitMs: number): number | undefined {
  const ms = typeof text === 'number' ? text * bareUnitMs : readDuration(text, bareUnitMs);
  return ms >= 0 && ms <= Number.MAX_SAFE_INTEGER ? Math.round(ms) : undefined;
}

/** The milliseconds, not rounded; NaN if it is no duration. */
function readDuration(text: string, bareUnitMs: number): number {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed) * bareUnitMs;
  const iso =
    /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(
      trimmed,
    );
  if (iso && trimmed !== 'P' && !trimmed.endsWith('T')) {
    const [weeks, days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
    return (
      weeks! * 7 * DURATION_MS.d +
      days! * DURATION_MS.d +
      hours! * DURATION_MS.h +
      minutes! * DURATION_MS.m +
      seconds! * DURATION_MS.s
    );
  }
  if (!WRITTEN_DURATION.test(trimmed)) return Number.NaN;
  let total = 0;
  for (const [, value, unit] of trimmed.matchAll(DURATION_PART)) {
    total += Number(value) * DURATION_MS[shortUnit(unit!)];
  }
  return total;
}

/** `minutes` → `m`. */
function shortUnit(unit: string): keyof typeof DURATION_MS {
  return /^m(?:s|il)/.test(unit) ? 'ms' : (unit[0] as 's' | 'm' | 'h' | 'd');
}

/** Shortest readable form: `850ms`, `2.5s`, `1m30s`, `2h05m`, `3d04h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)}s`;
  const whole = Math.round(seconds);
  const pad = (value: number) => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m${pad(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h${pad(Math.floor((whole % 3600) / 60))}m`;
  return `${Math.floor(whole / 86_400)}d${pad(Math.floor((whole % 86_400) / 3600))}h`;
}
