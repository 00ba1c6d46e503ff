import type { Refusal } from './refusals.ts';
import { ShellScanner } from './shell-scanner.ts';

/** Marks a value in rendered text. No template and no raw value can contain a NUL. */
export function marker(index: number): string {
  return `\0${index}\0`;
}

/** What is known of values by their markers. */
interface ValueKinds {
  lists: ReadonlySet<number>;
  /** Whole numbers, which can be calculated with. */
  numbers: ReadonlySet<number>;
}

const TEXTS: ValueKinds = { lists: new Set(), numbers: new Set() };

export type Placed =
  | { ok: true; script: string }
  /** `index` is that of the marker; null where it was only noticed after it. */
  | { ok: false; line: number; index: number | null; refusal: Refusal };

/**
 * Turns the markers of a command into expansions of shell variables that fit the quotes around them, so
 * that a value is always one piece of data. Where the shell would look into a value, it refuses. A list is one word per
 * item where it is not quoted, and one text inside quotes.
 */
export function placeValues(text: string, { lists, numbers } = TEXTS): Placed {
  const scanner = new ShellScanner(text, { numbers });
  let script = '';
  for (const piece of scanner.pieces()) {
    if (piece.kind === 'text') {
      script += piece.text;
      continue;
    }
    const isList = lists.has(piece.index);
    const expansion = isList ? `\${HF_${piece.index}_TEXT}` : `\${HF_${piece.index}}`;
    switch (piece.context) {
      case 'unquoted':
        script += isList ? `"\${HF_${piece.index}[@]}"` : `"${expansion}"`;
        break;
      case 'double':
        script += expansion;
        break;
      case 'single':
        script += `'"${expansion}"'`;
        break;
      case 'ansi':
        script += `'"${expansion}"$'`;
        break;
      case 'comment':
        break;
      default:
        return { ok: false, line: piece.line, index: piece.index, refusal: piece.context };
    }
  }
  if (scanner.late !== undefined) return { ok: false, index: null, ...scanner.late };
  return { ok: true, script };
}
