import type { SpecPlace, Validation } from './renderer.ts';
import { visibleText } from './visible-text.ts';

/** Problems in the form that editors and terminals turn into links. */
export function validationText(validation: Validation): string[] {
  const { file, valid, name, jobs, problems, warnings, unsupported } = validation;
  const place = ({ line, column, path, message }: SpecPlace, mark: string) =>
    visibleText(`${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${mark}${message}`);
  const lines = [
    ...problems.map((each) => place(each, '')),
    ...warnings.map((each) => place(each, 'warning: ')),
    ...unsupported.map((each) => place(each, 'valid, but this version cannot run ')),
  ];
  const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  lines.push(
    valid
      ? `${file}: valid, workflow ${visibleText(name ?? '')} with ${jobs} ${jobs === 1 ? 'job' : 'jobs'}`
      : `${file}: ${count}`,
  );
  return lines;
}
