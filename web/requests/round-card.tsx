import type { RoundRecord } from '../../src/contract/records/request.ts';
import { unitsText } from '../../src/views/request-progress.ts';
import { decidedRuns } from '../../src/views/requests/explained-request.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { ShareLegend } from '../parts/count-bar.tsx';
import { capitalised } from '../parts/notice.tsx';
import { RuleWalk } from '../parts/rule-walk.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { counted, grouped } from '../parts/words.ts';
import { roundTone } from './request-tones.ts';
import { UnitPicture, unitShares } from './unit-picture.tsx';

/** One round: its units as a picture, what was decided at its end, and which rules led to that. */
export function RoundCard({ name, round }: { name: string; round: RoundRecord }) {
  const { number, state, units, workflow_id, decision } = round;
  const decided = decidedRuns(round);
  return (
    <li className="rounded-lg border border-line bg-card px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h3 className="font-semibold">Round {number}</h3>
        <span className="text-sm">
          <StatusMark tone={roundTone(state)}>{state.toLowerCase()}</StatusMark>
        </span>
        <ShareLegend shares={unitShares(units)} />
        <span className="text-sm text-quiet">of {counted(units.total, 'unit')}</span>
        <Link
          to={pageUrl('workflow', { workflow_id })}
          className="text-sm underline sm:ml-auto"
          aria-label={`Jobs of round ${number}, workflow ${workflow_id}`}
        >
          Jobs
        </Link>
      </div>
      <UnitPicture name={name} round={round} />
      {decision !== null && (
        <p className="mt-2 text-sm wrap-anywhere">{visibleText(capitalised(decision.reason))}</p>
      )}
      {decided.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="w-fit cursor-pointer text-quiet hover:text-text">
            How {decided.length === 1 ? 'it was' : 'each run was'} decided
            <span className="sr-only"> in round {number}</span>
          </summary>
          {decided.map(({ run_id, run, units: ended, decision: { walk }, bans }) => (
            <div key={run_id} className="mt-2">
              <p className="font-medium">
                {capitalised(run)}: {unitsText(ended, grouped)}
              </p>
              <RuleWalk walk={walk} />
              {bans.map(({ site, reason, for_all }) => (
                <p key={`${site} ${for_all}`} className="px-2 text-asks wrap-anywhere">
                  Banned site {visibleText(site)}
                  {for_all && ' for all work'}: {visibleText(reason)}
                </p>
              ))}
            </div>
          ))}
        </details>
      )}
    </li>
  );
}
