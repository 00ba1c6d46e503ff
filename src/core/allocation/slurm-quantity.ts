import { parseDuration } from '../text/quantity.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

/**
 * A time limit as Slurm writes it (`90`, `MM:SS`, `HH:MM:SS`, `D-HH`, `D-HH:MM`, `D-HH:MM:SS`) or one of our durations → milliseconds.
 * A bare number is minutes, as in Slurm. null: `UNLIMITED`; undefined: it is none of these.
 */
export function parseWalltime(written: string | number): number | null | undefined {
  const text = String(written).trim();
  if (/^(?:unlimited|infinite)$/i.test(text)) return null;
  const slurm = /^(?:(\d+)-(\d+)(?::(\d+))?(?::(\d+))?|(\d+)(?::(\d+))?(?::(\d+))?)$/.exec(text);
  if (slurm === null) return parseDuration(text, MINUTE_MS);
  const [days, dayHours, dayMinutes, daySeconds, first, second, third] = slurm
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  if (days !== undefined) return clock(days * 24 + dayHours!, dayMinutes ?? 0, daySeconds ?? 0);
  if (third !== undefined) return clock(first!, second!, third);
  return clock(0, first!, second ?? 0);
}

function clock(hours: number, minutes: number, seconds: number): number {
  return ((hours * 60 + minutes) * 60 + seconds) * SECOND_MS;
}

/** `04:00:00` or `1-12:00:00`; Slurm counts whole minutes, so a part of one is one more. */
export function formatWalltime(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  const pad = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(minutes / 1440);
  const time = `${pad(Math.floor((minutes % 1440) / 60))}:${pad(minutes % 60)}:00`;
  return days === 0 ? time : `${days}-${time}`;
}

const MEBIBYTE = 1024 ** 2;
const UNIT_BYTES = { k: 1024, m: MEBIBYTE, g: 1024 ** 3, t: 1024 ** 4 } as const;

/** Memory as Slurm writes it: a number of megabytes, or with K, M, G or T → bytes; undefined if it is neither. */
export function parseSlurmMemory(written: string | number): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt])?(?:i?b)?$/i.exec(String(written).trim());
  if (match === null) return undefined;
  const unit = UNIT_BYTES[(match[2]?.toLowerCase() ?? 'm') as keyof typeof UNIT_BYTES];
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** `512M`, `64G`; never less than was asked for. */
export function formatSlurmMemory(bytes: number): string {
  const megabytes = Math.ceil(bytes / MEBIBYTE);
  return megabytes % 1024 === 0 && megabytes > 0 ? `${megabytes / 1024}G` : `${megabytes}M`;
}

/** GPUs in a list of generic resources: `gpu:2`, `gpu:a100:2,lustre:1`; undefined where the list is not one. */
export function gpusOfGres(gres: string): number | undefined {
  let gpus = 0;
  for (const entry of gres.split(',')) {
    const match = /^\s*(?:gres[:/])?([\w.-]+)(?::([A-Za-z][\w.-]*))?(?::(\d+)(?:\(.*\))?)?\s*$/.exec(entry);
    if (match === null) return undefined;
    if (match[1] === 'gpu') gpus += match[3] === undefined ? 1 : Number(match[3]);
  }
  return gpus;
}

/** Of `--gpus-per-node` and its like: `2` or `a100:2`. */
export function gpuCount(written: string): number | undefined {
  const match = /^(?:[\w.-]+:)?(\d+)$/.exec(written.trim());
  return match === null ? undefined : Number(match[1]);
}
