import { useQuery } from '@tanstack/react-query';
import type { RequestErrors } from '../../src/contract/records/request.ts';
import { errorsHeadline, hasSiteFailures } from '../../src/views/requests/errors-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { setQuery, usePlace } from '../app/router.ts';
import { capitalised, Problem } from '../parts/notice.tsx';
import { Card, Empty, Loading, Section } from '../parts/section.tsx';
import { counted, grouped, someOf } from '../parts/words.ts';
import { ErrorGroup } from './error-group.tsx';
import { Tally } from './tally.tsx';

/** What failed in a round: by category, site and exit code, with the ends of logs. The round is in the address. */
export function ErrorList({ name, newest }: { name: string; newest: number }) {
  const { query } = usePlace();
  const given = Number(query.get('round'));
  const round = Number.isInteger(given) && given >= 1 && given < newest ? given : null;
  const errors = useQuery({
    queryKey: ['errors', name, round],
    queryFn: () => call('requestErrors', name, round === null ? {} : { round }),
    placeholderData: (before) => before,
  });
  return (
    <Section title="Errors" beside={newest > 1 && <RoundChoice round={round ?? newest} newest={newest} />}>
      {errors.error !== null && <Problem error={errors.error} />}
      {errors.isPending && <Loading />}
      {errors.data && <Summary errors={errors.data} />}
    </Section>
  );
}

function RoundChoice({ round, newest }: { round: number; newest: number }) {
  return (
    <label className="flex items-center gap-2 text-sm">
      Round
      <input
        type="number"
        min={1}
        max={newest}
        value={round}
        onChange={({ target }) => {
          const wanted = target.valueAsNumber;
          if (wanted >= 1 && wanted <= newest) setQuery({ round: wanted === newest ? '' : String(wanted) });
        }}
        className="w-20 rounded-md border border-line bg-card px-2 py-1"
      />
      <span className="text-quiet">of {newest}</span>
    </label>
  );
}

function Summary({ errors }: { errors: RequestErrors }) {
  const { groups, by_category, by_exit_code, by_site, bad_input_files: bad, workflow_id } = errors;
  const sites = (
    <Tally
      title="By site"
      rows={Object.entries(by_site).map(([site, { total, failed }]) => ({
        name: site,
        text: `${grouped(failed)} of ${counted(total, 'attempt')}`,
        share: total === 0 ? 0 : failed / total,
      }))}
    />
  );
  if (groups.length === 0) {
    return (
      <div className="flex flex-col gap-3">
        <Empty>No job failed for good in round {errors.round}.</Empty>
        {hasSiteFailures(errors) && <Card className="p-4">{sites}</Card>}
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Card className="p-4">
        <p className="mb-3 font-medium">{capitalised(errorsHeadline(errors))}.</p>
        <div className="grid gap-x-8 gap-y-4 md:grid-cols-3">
          <Tally title="By category" rows={countedRows(by_category)} />
          {sites}
          <Tally title="By exit code" rows={countedRows(by_exit_code)} />
        </div>
        {bad.length > 0 && (
          <p className="mt-4 text-sm wrap-anywhere">
            <span className="font-semibold">Bad input files: </span>
            {visibleText(someOf(bad))}
          </p>
        )}
      </Card>
      <ol className="flex flex-col gap-3" aria-label="Failures that look alike">
        {groups.map((group) => (
          <ErrorGroup key={group.fingerprint} workflow={workflow_id!} group={group} />
        ))}
      </ol>
    </div>
  );
}

/** The most frequent first; each bar is a share of all. */
function countedRows(counts: Record<string, number>) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => ({ name, text: count.toLocaleString('en-GB'), share: count / total }));
}
