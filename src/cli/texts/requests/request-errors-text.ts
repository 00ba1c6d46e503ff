import type { RequestErrors } from '../../../contract/records/request.ts';
import { errorsHeadline, hasSiteFailures, likeItText } from '../../../views/requests/errors-text.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { View } from '../../terminal/view.ts';

const SHOWN_FILES = 10;
const SHOWN_LINES = 5;

export const requestErrorsView: View<RequestErrors> = {
  json: (errors) => errors,
  table: errorLines,
  quiet: (errors) => errors.groups.map(({ fingerprint }) => fingerprint),
};

function errorLines(errors: RequestErrors, style: TextStyle): string[] {
  const { request_name, round, groups } = errors;
  if (round === null) return [`request ${request_name} has no round yet`];
  const head = `${style.paint('bold', request_name)} ${errorsHeadline(errors)}`;
  if (groups.length === 0) {
    return [head, 'no job failed for good', ...(hasSiteFailures(errors) ? [bySite(errors)] : [])];
  }
  return [
    head,
    counted('by category', errors.by_category),
    counted('by exit code', errors.by_exit_code),
    bySite(errors),
    ...badFiles(errors.bad_input_files),
    ...groups.flatMap((group) => groupLines(group, style)),
  ];
}

function bySite({ by_site }: RequestErrors): string {
  const sites = Object.entries(by_site).map(
    ([site, { total, failed }]) => `${visibleText(site)} ${failed} of ${total} attempts failed`,
  );
  return `by site: ${sites.join(', ')}`;
}

function counted(title: string, counts: Record<string, number>): string {
  return `${title}: ${Object.entries(counts)
    .map(([key, count]) => `${visibleText(key)} ${count}`)
    .join(', ')}`;
}

function badFiles(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const more = files.length > SHOWN_FILES ? [`  and ${files.length - SHOWN_FILES} more`] : [];
  return [
    'bad input files:',
    ...files.slice(0, SHOWN_FILES).map((file) => `  ${visibleText(file)}`),
    ...more,
  ];
}

function groupLines(group: RequestErrors['groups'][number], { paint }: TextStyle): string[] {
  const { node, category, reason, log_tail } = group;
  const tail = log_tail
    .split('\n')
    .filter((line) => line !== '')
    .slice(-SHOWN_LINES);
  return [
    '',
    `${paint('red', category ?? 'failed')} ${paint('bold', visibleText(node))} ${likeItText(group)}`,
    ...(reason === null ? [] : [`  ${visibleText(reason)}`]),
    ...tail.map((line) => `  ${paint('dim', '|')} ${visibleText(line)}`),
  ];
}
