import { parseSize } from '../../src/core/text/quantity.ts';

const MEGABYTE = 1024 * 1024;
const MOST_TIMES = 1000;
const MOST_MEMORY_MB = 1e9;

/** What is written in the form; an empty field changes nothing. */
export interface ReleaseFields {
  memory: string;
  retries: string;
  threshold: string;
  rescues: string;
  /** Sites that are chosen. */
  bans: readonly string[];
  /** An item a line. */
  excluded: string;
}

export const NO_CHANGES: ReleaseFields = {
  memory: '',
  retries: '',
  threshold: '',
  rescues: '',
  bans: [],
  excluded: '',
};

/** The changes as the operation `releaseRequest` takes them. */
export interface ReleaseChanges {
  memory_mb?: number;
  retry_count?: number;
  error_hold_threshold?: number;
  error_max_rescue_attempts?: number;
  site_bans?: string[];
  excluded_files?: string[];
}

export type ReleaseProblems = Partial<Record<keyof ReleaseFields, string>>;

/** Reads the form. Fields with a problem are left out of the changes, which are not to be sent then. */
export function readRelease(fields: ReleaseFields): { changes: ReleaseChanges; problems: ReleaseProblems } {
  const problems: ReleaseProblems = {};
  const changes: ReleaseChanges = {};
  const read = <K extends keyof ReleaseChanges>(
    field: 'memory' | 'retries' | 'threshold' | 'rescues',
    key: K,
    parse: (text: string) => ReleaseChanges[K] | undefined,
    problem: string,
  ) => {
    const text = fields[field].trim();
    if (text === '') return;
    const value = parse(text);
    if (value === undefined) problems[field] = problem;
    else changes[key] = value;
  };
  read('memory', 'memory_mb', megabytes, 'Must be a size such as 6g.');
  read('retries', 'retry_count', times, `Must be a whole number from 0 to ${MOST_TIMES}.`);
  read('threshold', 'error_hold_threshold', share, 'Must be a number from 0 to 1, such as 0.3.');
  read('rescues', 'error_max_rescue_attempts', times, `Must be a whole number from 0 to ${MOST_TIMES}.`);
  if (fields.bans.length > 0) changes.site_bans = [...fields.bans];
  const excluded = itemsIn(fields.excluded);
  if (excluded.length > 0) changes.excluded_files = excluded;
  return { changes, problems };
}

/** Lines that are not empty, each once. Blanks around a path may belong to it. */
export function itemsIn(text: string): string[] {
  return [...new Set(text.split(/\r?\n/).filter((line) => line.trim() !== ''))];
}

function megabytes(text: string): number | undefined {
  const bytes = parseSize(text);
  if (bytes === undefined || bytes === 0) return undefined;
  const size = Math.ceil(bytes / MEGABYTE);
  return size <= MOST_MEMORY_MB ? size : undefined;
}

function times(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) && Number(text) <= MOST_TIMES ? Number(text) : undefined;
}

function share(text: string): number | undefined {
  const value = Number(text);
  return value >= 0 && value <= 1 ? value : undefined;
}
