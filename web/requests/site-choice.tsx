import { useQuery } from '@tanstack/react-query';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import { siteFailures } from '../../src/views/requests/ban-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';

/** Sites that the request may run at, each to be avoided from now on. */
export function SiteChoice({
  request,
  chosen,
  onChoose,
}: {
  request: RequestRecord;
  chosen: readonly string[];
  onChoose: (sites: string[]) => void;
}) {
  const sites = useQuery({ queryKey: ['sites', 'all'], queryFn: () => call('listSites') });
  const label = `${request.request_name}@${request.version}`;
  const known = new Map((sites.data?.items ?? []).map((site) => [site.name, site]));
  const names = request.sites ?? [...known.keys()];
  if (names.length === 0) return null;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">Avoid sites</legend>
      <ul className="max-h-44 overflow-y-auto rounded-md border border-line px-2.5 py-1">
        {names.map((name) => {
          const site = known.get(name);
          const isBanned = site?.bans.some(
            ({ request_name }) => request_name === null || request_name === label,
          );
          const failures = site === undefined ? null : siteFailures(site);
          return (
            <li key={name} className="py-1">
              <label className="flex items-start gap-2 text-sm">
                <input
                  type="checkbox"
                  className="mt-1 size-4 shrink-0 accent-(--accent)"
                  disabled={isBanned === true}
                  checked={isBanned === true || chosen.includes(name)}
                  onChange={({ target }) =>
                    onChoose(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                  }
                />
                <span className="min-w-0 wrap-anywhere">
                  {visibleText(name)}
                  <span className="text-quiet">
                    {isBanned === true ? ' is banned already' : failures === null ? '' : `: ${failures}`}
                  </span>
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
