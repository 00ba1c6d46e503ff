/** What a job reports of itself in the file `$HOLDFAST_REPORT`. */
export interface JobReport {
  /** Not limited to 255, as exit codes are; null: it reports none. */
  exit_code: number | null;
  error_message: string | null;
  /** Per step of the job, as it was written. */
  steps: Record<string, unknown>;
  input_files: string[];
  /** null: the job does not know which of its inputs are bad. */
  bad_input_files: string[] | null;
  output_files: string[];
  performance: Record<string, unknown>;
}

/** `report`: null if there is none, or none that can be used. `problem`: what could not be used. */
export interface ReadReport {
  report: JobReport | null;
  problem: string | null;
}

export const NO_REPORT: ReadReport = { report: null, problem: null };

/** A larger report is not read. */
export const MOST_REPORT_BYTES = 1024 * 1024;
const MOST_FILES = 10_000;
const MOST_PATH_CHARACTERS = 4_096;
const MOST_MESSAGE_CHARACTERS = 64 * 1024;
/** Deeper values could be read but not written again. */
const MOST_DEPTH = 50;

/** Reads the text of a report. Keys that are not known are ignored, values that cannot be used are a problem. */
export function parseJobReport(text: string): ReadReport {
  if (depthOf(text) > MOST_DEPTH) return unusable(`is nested more than ${MOST_DEPTH} levels deep`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unusable('is not JSON');
  }
  if (!isObject(value)) return unusable('is not a JSON object');
  const wrong: string[] = [];
  const read = <T>(key: keyof JobReport, accept: (given: unknown) => T | undefined, otherwise: T): T => {
    const given = value[key];
    if (given === undefined || given === null) return otherwise;
    const accepted = accept(given);
    if (accepted === undefined) wrong.push(key);
    return accepted ?? otherwise;
  };
  const report: JobReport = {
    exit_code: read<number | null>('exit_code', wholeNumber, null),
    error_message: read<string | null>('error_message', message, null),
    steps: read('steps', record, {}),
    input_files: read('input_files', paths, []),
    bad_input_files: read<string[] | null>('bad_input_files', paths, null),
    output_files: read('output_files', paths, []),
    performance: read('performance', record, {}),
  };
  const problem =
    wrong.length === 0 ? null : `the report has values that cannot be used: ${wrong.join(', ')}`;
  return { report, problem };
}

/** A report that is there and cannot be used: `is over 1 MiB`. */
export function unusable(why: string): ReadReport {
  return { report: null, problem: `the report ${why}` };
}

/** The items that a text names by their paths; if it names none so, those whose file names it has. */
export function mentionedIn(text: string, items: readonly string[]): string[] {
  const byPath = items.filter((item) => occurs(text, item));
  return byPath.length > 0 ? byPath : items.filter((item) => occurs(text, baseName(item)));
}

function baseName(path: string): string {
  return path.slice(path.replace(/\/+$/, '').lastIndexOf('/') + 1);
}

/** `file_1` does not occur in `file_10`, nor in `my_file_1` or `file_1.bak`. A path may follow the name of a host. */
function occurs(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const isWhole = name.startsWith('/') || !/[\w-]$/.test(text.slice(Math.max(0, at - 1), at));
    if (isWhole && !/^(?:[\w-]|\.\w)/.test(text.slice(at + name.length, at + name.length + 2))) return true;
  }
  return false;
}

/** How deep brackets are nested, strings left out. Recursion would end where the stack does. */
function depthOf(text: string): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const wholeNumber = (given: unknown) => (Number.isSafeInteger(given) ? (given as number) : undefined);
const record = (given: unknown) => (isObject(given) ? given : undefined);
const message = (given: unknown) =>
  typeof given === 'string' ? given.slice(0, MOST_MESSAGE_CHARACTERS) : undefined;

function paths(given: unknown): string[] | undefined {
  const isList =
    Array.isArray(given) &&
    given.length <= MOST_FILES &&
    given.every((each) => typeof each === 'string' && each.length <= MOST_PATH_CHARACTERS);
  return isList ? (given as string[]) : undefined;
}
