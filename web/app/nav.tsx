import type { PageName } from '../../src/contract/pages/page-paths.ts';
import { Link } from './link.tsx';
import { pageUrl, usePlace } from './router.ts';

/** Each entry, and the pages that are below it. */
const ENTRIES: [page: 'home' | 'requests' | 'sites' | 'workers', text: string, below: PageName[]][] = [
  ['home', 'Overview', ['workflow', 'triage', 'job']],
  ['requests', 'Requests', ['request']],
  ['sites', 'Sites', []],
  ['workers', 'Workers', []],
];

/** The ways to what is not below a workflow. */
export function Nav() {
  const { page } = usePlace();
  return (
    <nav
      aria-label="Pages"
      className="order-last -mx-2 flex w-[calc(100%+1rem)] gap-0.5 overflow-x-auto sm:order-none sm:mx-0 sm:w-auto"
    >
      {ENTRIES.map(([entry, text, below]) => {
        const isHere = page === entry || (page !== null && below.includes(page));
        return (
          <Link
            key={entry}
            to={pageUrl(entry)}
            aria-current={page === entry ? 'page' : undefined}
            className={`rounded-md px-2 py-1 text-sm ${isHere ? 'bg-raised font-semibold' : 'text-quiet hover:bg-raised hover:text-text'}`}
          >
            {text}
          </Link>
        );
      })}
    </nav>
  );
}
