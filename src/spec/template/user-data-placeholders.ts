import type { Place } from '../problem.ts';
import { assignments, valueText } from './bind-values.ts';
import { marker, placeValues } from './place-values.ts';
import { describeRefusal } from './refusals.ts';

/** `${user_data.input.X}` becomes the value, `${user_data.output.X}` the path of the file to write it to. */
export interface UserDataPlaceholder {
  written: string;
  /** undefined: the direction is missing. */
  kind: 'input' | 'output' | undefined;
  name: string;
  offset: number;
}

const START = '${user_data.';
const PLACEHOLDER = /\$\{user_data\.(?:(input|output)\.)?([^}\n]+)\}/g;

export function userDataPlaceholders(command: string): UserDataPlaceholder[] {
  if (!command.includes(START)) return [];
  return [...command.matchAll(PLACEHOLDER)].map((match) => ({
    written: match[0],
    kind: match[1] as UserDataPlaceholder['kind'],
    name: match[2]!,
    offset: match.index,
  }));
}

export interface Misplaced {
  message: string;
  /** Which of the placeholders it is, if that is known. */
  position: number | null;
  inside: Place;
}

/** The first placeholder at whose place the shell would look into a value, if there is one. */
export function misplacedUserData(command: string): Misplaced | undefined {
  const placeholders = userDataPlaceholders(command);
  if (placeholders.length === 0) return undefined;
  let count = 0;
  const placed = placeValues(command.replace(PLACEHOLDER, () => marker(++count)));
  if (placed.ok) return undefined;
  const found = placed.index === null ? undefined : placeholders[placed.index - 1];
  const written = found?.written ?? placeholders[0]!.written;
  const lineStart = found === undefined ? 0 : command.lastIndexOf('\n', found.offset - 1) + 1;
  return {
    message: `${found === undefined ? '' : `${written}: `}${describeRefusal(placed.refusal, written)}`,
    position: placed.index === null ? null : placed.index - 1,
    inside: { line: placed.line, column: found === undefined ? 1 : found.offset - lineStart + 1 },
  };
}

export type BoundCommand = { ok: true; script: string } | { ok: false; problem: string };

/**
 * A command → a bash script in which each value is data: assigned to a shell variable at the top, and
 * expanded as the quotes around its placeholder demand. Everything else in the command stays as it is.
 */
export function bindUserData(
  command: string,
  inputs: Record<string, unknown>,
  outputPath: (name: string) => string,
): BoundCommand {
  const values: string[] = [];
  const markers = new Map<string, string>();
  try {
    for (const { written, kind, name } of userDataPlaceholders(command)) {
      if (markers.has(written) || kind === undefined) continue;
      const value = kind === 'output' ? outputPath(name) : inputText(name, inputs);
      markers.set(written, marker(values.push(value)));
    }
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
  if (values.length === 0) return { ok: true, script: command };
  const placed = placeValues(command.replace(PLACEHOLDER, (written) => markers.get(written) ?? written));
  if (!placed.ok) {
    const problem = describeRefusal(placed.refusal, '${user_data.input.NAME}');
    return { ok: false, problem: `command line ${placed.line}: ${problem}` };
  }
  return { ok: true, script: assignments(values) + placed.script };
}

function inputText(name: string, inputs: Record<string, unknown>): string {
  if (!Object.hasOwn(inputs, name)) throw new Error(`user_data ${name} has no value`);
  try {
    return valueText(inputs[name]);
  } catch (error) {
    throw new Error(`user_data ${name}: ${(error as Error).message}`);
  }
}
