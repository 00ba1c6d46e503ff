import type { JobRef } from '../core/job/job-ref.ts';

const NUMBER = /^\d{1,15}$/;
const PREFIX = 'name:';

/** How a job is named in paths and queries: its number or its name; `name:` before names that look like neither. */
export function writeJobRef(job: JobRef): string {
  if (typeof job === 'number') return String(job);
  const isPlain = job !== '' && !/^\.{1,2}$/.test(job) && !NUMBER.test(job) && !job.startsWith(PREFIX);
  return isPlain ? job : `${PREFIX}${job}`;
}

export function readJobRef(text: string): JobRef {
  if (NUMBER.test(text)) return Number(text);
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
}
