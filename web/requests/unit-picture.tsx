import { useQuery } from '@tanstack/react-query';
import type { RoundRecord, UnitRecord } from '../../src/contract/records/request.ts';
import { unitName } from '../../src/core/request/unit-name.ts';
import { call } from '../api/call.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { CountBar, type Share } from '../parts/count-bar.tsx';
import { ToneIcon } from '../parts/status-icon.tsx';
import { counted, grouped } from '../parts/words.ts';
import { unitTone, unitWords } from './request-tones.ts';

/** A round of more units is drawn as a bar: shapes would be too many to look at, and to read from the server. */
const MOST_CELLS = 200;
const UNDONE_SHOWN = 12;

/** The units of a round: a shape for each, or a bar of how many are in each state. */
export function UnitPicture({ name, round }: { name: string; round: RoundRecord }) {
  const { number, units } = round;
  const isSmall = units.total <= MOST_CELLS;
  const hasUndone = units.failed + units.not_run > 0;
  const listed = useQuery({
    queryKey: ['units', name, number, isSmall],
    queryFn: () =>
      call('listUnits', name, {
        round: number,
        ...(isSmall ? { limit: MOST_CELLS } : { state: ['failed', 'not_run'], limit: UNDONE_SHOWN }),
      }),
    enabled: isSmall || hasUndone,
  });
  const rows = listed.data?.items ?? [];
  return (
    <div className="mt-2 flex flex-col gap-2">
      {isSmall && rows.length > 0 ? <Cells round={number} units={rows} /> : null}
      {!isSmall && <CountBar label={`Units of round ${number}`} shares={unitShares(units)} />}
      {hasUndone && <Undone units={rows} count={units.failed + units.not_run} />}
    </div>
  );
}

/** How many units are in each state, in the order of the picture's parts. */
export function unitShares({ total, done, failed, not_run }: RoundRecord['units']): Share[] {
  return [
    { tone: unitTone('done'), words: unitWords('done'), count: done },
    { tone: unitTone('failed'), words: unitWords('failed'), count: failed },
    { tone: unitTone('not_run'), words: unitWords('not_run'), count: not_run },
    { tone: unitTone('open'), words: 'open', count: total - done - failed - not_run, isOpen: true },
  ];
}

/** In the order of their numbers; the counts above and the list below say the same in words. */
function Cells({ round, units }: { round: number; units: UnitRecord[] }) {
  return (
    <div role="img" aria-label={`Units of round ${round}, one shape each`} className="flex flex-wrap gap-1">
      {units.map((unit) => (
        <span key={unit.id} title={unitText(unit)} className="rounded bg-raised p-1">
          <ToneIcon tone={unitTone(unit.state)} />
        </span>
      ))}
    </div>
  );
}

/** `unit 3: failed, numbers 501 to 750`. */
function unitText({ number, state, first, last, size }: UnitRecord): string {
  const work = first === null ? counted(size, 'item') : `numbers ${grouped(first)} to ${grouped(last!)}`;
  return `Unit ${number}: ${unitWords(state)}, ${work}`;
}

/** Units that are not done lead to their jobs. */
function Undone({ units, count }: { units: UnitRecord[]; count: number }) {
  const undone = units
    .filter(({ state }) => state === 'failed' || state === 'not_run')
    .slice(0, UNDONE_SHOWN);
  if (undone.length === 0) return null;
  return (
    <p className="text-sm">
      <span className="text-quiet">Not done: </span>
      {undone.map((unit, index) => (
        <span key={unit.id}>
          {index > 0 && ', '}
          <Link
            to={pageUrl('workflow', { workflow_id: unit.workflow_id }, { name: unitName(unit.number) })}
            title={unitText(unit)}
            aria-label={unitText(unit)}
            className="underline"
          >
            unit {unit.number}
          </Link>
        </span>
      ))}
      {count > undone.length && ` and ${(count - undone.length).toLocaleString('en-GB')} more`}
    </p>
  );
}
