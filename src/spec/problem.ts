/** Keys and indexes from the root of the file: `['jobs', 3, 'retry']`. */
export type SpecPath = readonly (string | number)[];

/** Both count from 1. */
export interface Place {
  line: number;
  column: number;
}

/** A mistake, or something doubtful, at its place in the file. */
export interface Problem extends Place {
  file: string;
  path: string;
  message: string;
}

/** A key that is understood, but whose behaviour this version does not have yet. */
export interface Unsupported extends Place {
  path: string;
  feature: string;
}

/** `file:line:col: path: message`; the root has no path. */
export function formatProblem(problem: Problem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`;
  return problem.path === ''
    ? `${place}: ${problem.message}`
    : `${place}: ${problem.path}: ${problem.message}`;
}

/** `jobs[3].retry.max_delay`; keys that are not plain words are quoted. */
export function formatPath(path: SpecPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[\w-]+$/.test(part)) text += text === '' ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}
