import type { SharedPolicy } from '../../../views/shared-policies.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { View } from '../../terminal/view.ts';

const NAMES_SHOWN = 3;

export interface SpecPlace {
  /** Where it is not the spec itself. */
  file?: string;
  line: number;
  column: number;
  path: string;
  message: string;
  /** The line with a mark at the place, for mistakes of the notation. */
  frame?: string;
}

/** What `validate` found. */
export interface Validation {
  file: string;
  valid: boolean;
  name: string | null;
  jobs: number;
  problems: SpecPlace[];
  warnings: SpecPlace[];
  /** Keys that are accepted and have no effect. */
  notes: SpecPlace[];
  /** What happens when jobs fail; none if the spec is not valid. */
  policies?: SharedPolicy[];
  /** What is asked of a cluster, in words; absent: nothing. */
  schedulers?: string[];
  /** Who is notified, in words; absent: the spec names nobody. */
  notify?: string[];
}

export const validationView: View<Validation> = {
  json: (validation) => validation,
  table: validationText,
  quiet: ({ name }) => (name === null ? [] : [name]),
};

/** Problems in the form that editors and terminals turn into links, then what the policies mean. */
function validationText(validation: Validation): string[] {
  const { file, valid, name, jobs, problems, warnings, notes, policies = [] } = validation;
  const lines = placeLines(file, { problems, warnings, notes });
  lines.push(
    valid
      ? `${file}: valid, workflow ${visibleText(name ?? '')} with ${count(jobs, 'job')}`
      : `${file}: ${count(problems.length, 'problem')}`,
  );
  const { schedulers = [], notify = [] } = validation;
  for (const line of [...schedulers, ...notify]) lines.push(visibleText(line));
  for (const { jobs: names, policy } of policies) {
    const rest = names.length - NAMES_SHOWN;
    const shown = names.slice(0, NAMES_SHOWN).join(', ');
    lines.push(
      '',
      visibleText(
        `when ${shown}${rest > 0 ? ` and ${rest} more` : ''} ${names.length === 1 ? 'fails' : 'fail'}:`,
      ),
      ...policy.map((line) => visibleText(`  ${line}`)),
    );
  }
  return lines;
}

/** One line for each place, and what it shows of the file. */
export function placeLines(
  file: string,
  { problems, warnings, notes }: Pick<Validation, 'problems' | 'warnings' | 'notes'>,
): string[] {
  const lines = (mark: string) => (each: SpecPlace) => {
    const { line, column, path, message, frame } = each;
    return [
      visibleText(
        `${each.file ?? file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${mark}${message}`,
      ),
      ...(frame === undefined ? [] : frame.split('\n').map(visibleText)),
    ];
  };
  return [
    ...problems.flatMap(lines('')),
    ...warnings.flatMap(lines('warning: ')),
    ...notes.flatMap(lines('note: ')),
  ];
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
