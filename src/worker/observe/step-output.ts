import type { OutputMode } from '../../core/model/workflow-model.ts';
import { readPart } from './read-part.ts';

/** What is kept of a step's stdout as its output; all of it is in the log. */
const OUTPUT_LIMIT_BYTES = 1024 * 1024;

/** `complete`: all of stdout went into it. */
export type StepOutput = { ok: true; output: unknown; complete: boolean } | { ok: false; problem: string };

/** Stdout becomes the step's output: JSON if all of it parses, else text; no guessing. */
export async function readStepOutput(stdoutPath: string, mode: OutputMode): Promise<StepOutput> {
  const { text, complete } = await readStart(stdoutPath);
  switch (mode) {
    case 'text':
      return { ok: true, output: withoutLastNewline(text), complete };
    case 'lines':
      return {
        ok: true,
        output: withoutLastNewline(text) === '' ? [] : withoutLastNewline(text).split(/\r?\n/),
        complete,
      };
    case 'json': {
      const parsed = complete ? parseJson(text) : undefined;
      if (parsed !== undefined) return { ok: true, output: parsed.value, complete };
      return { ok: false, problem: complete ? 'JSON on stdout' : 'JSON on stdout (it is over 1 MiB)' };
    }
    case 'auto': {
      const parsed = complete ? parseJson(text) : undefined;
      return { ok: true, output: parsed === undefined ? withoutLastNewline(text) : parsed.value, complete };
    }
  }
}

async function readStart(path: string): Promise<{ text: string; complete: boolean }> {
  const part = await readPart(path, (size) => ({ start: 0, length: Math.min(size, OUTPUT_LIMIT_BYTES) }));
  if (part === null) throw new Error('it is not a regular file');
  return { text: part.bytes.toString('utf8'), complete: part.size <= OUTPUT_LIMIT_BYTES };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}
