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
  /** The line with a mark at the place, for mistakes of the notation. */
  frame?: string;
}

/** `file:line:col: path: message`, and the code frame below it; the root has no path. */
export function formatProblem({ file, line, column, path, message, frame }: Problem): string {
  const text = `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
  return frame === undefined ? text : `${text}\n${frame}`;
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
