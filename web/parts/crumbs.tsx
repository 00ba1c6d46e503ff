import type { WorkflowRecord } from '../../src/contract/records/records.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';

/** The way back, with the page itself as the heading. */
export function Crumbs({ trail, here }: { trail: { to: string; text: string }[]; here: string }) {
  return (
    <div>
      <nav aria-label="Way back" className="flex flex-wrap gap-x-2 text-sm text-quiet">
        {[{ to: '/', text: 'Overview' }, ...trail].map(({ to, text }) => (
          <span key={to} className="flex min-w-0 gap-2">
            <Link to={to} className="max-w-80 truncate hover:text-text hover:underline">
              {text}
            </Link>
            <span aria-hidden="true">/</span>
          </span>
        ))}
      </nav>
      <h1 className="mt-0.5 text-xl font-semibold sm:text-2xl tracking-tight wrap-anywhere">{here}</h1>
    </div>
  );
}

/** The way back to a workflow: by its name, as soon as that is known. */
export function workflowCrumb(
  workflow: number,
  record: WorkflowRecord | undefined,
): { to: string; text: string } {
  return {
    to: pageUrl('workflow', { workflow_id: workflow }),
    text: record === undefined ? `Workflow ${workflow}` : visibleText(record.name),
  };
}
