import type { RequestErrors } from '../../src/contract/records/request.ts';
import { likeItText } from '../../src/views/requests/errors-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { plainText } from '../job/ansi.ts';
import { StatusMark } from '../parts/status-icon.tsx';

const LINES = 12;

/** Failures that look alike: one of the jobs, why it failed, and the end of its log. */
export function ErrorGroup({
  workflow,
  group,
}: {
  workflow: number;
  group: RequestErrors['groups'][number];
}) {
  const { node, job_id, unit, category, reason, log_tail } = group;
  const lines = log_tail
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LINES);
  return (
    <li className="rounded-lg border border-line bg-card px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="font-semibold">
          <StatusMark tone="bad">{visibleText(category ?? 'failed')}</StatusMark>
        </span>
        <Link to={pageUrl('job', { workflow_id: workflow, job_id })} className="underline wrap-anywhere">
          {visibleText(node)}
        </Link>
        <span className="text-sm text-quiet">
          {likeItText(group)}
          {unit !== null && `, unit ${unit}`}
        </span>
      </div>
      {reason !== null && <p className="mt-1 text-sm wrap-anywhere">{visibleText(reason)}</p>}
      {lines.length > 0 && (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach that
          tabIndex={0}
          className="mt-2 overflow-x-auto rounded-md border border-line bg-log p-3 font-mono text-xs leading-5 text-log-text"
        >
          {lines.map((line) => visibleText(plainText(line))).join('\n')}
        </pre>
      )}
    </li>
  );
}
