import type { SpecPlace, Validation } from './renderer.ts';
import { visibleText } from './visible-text.ts';

const NAMES_SHOWN = 3;

/** Problems in the form that editors and terminals turn into links, then what the policies mean. */
export function validationText(validation: Validation): string[] {
  const { file, valid, name, jobs, problems, warnings, unsupported, policies = [] } = validation;
  const place = ({ line, column, path, message }: SpecPlace, mark: string) =>
    visibleText(`${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${mark}${message}`);
  const lines = [
    ...problems.map((each) => place(each, '')),
    ...warnings.map((each) => place(each, 'warning: ')),
    ...unsupported.map((each) => place(each, 'valid, but this version cannot run ')),
  ];
  lines.push(
    valid
      ? `${file}: valid, workflow ${visibleText(name ?? '')} with ${count(jobs, 'job')}`
      : `${file}: ${count(problems.length, 'problem')}`,
  );
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

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
