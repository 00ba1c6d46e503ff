import type { RequestRecord } from '../../src/contract/records/request.ts';
import { ledgerText, requestProgressText } from '../../src/views/request-progress.ts';
import type { ExplainedRequest } from '../../src/views/requests/explained-request.ts';
import { openRoundText } from '../../src/views/requests/open-round-text.ts';
import { outputErrandText } from '../../src/views/requests/output-errand-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { ownerFacts, useHasOwners } from '../app/owner.ts';
import { pageUrl } from '../app/router.ts';
import { type Fact, Facts } from '../parts/facts.tsx';
import { capitalised, Notice } from '../parts/notice.tsx';
import { RuleWalk } from '../parts/rule-walk.tsx';
import { Card } from '../parts/section.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { clockTime, useNow } from '../parts/times.ts';
import { grouped } from '../parts/words.ts';
import { Ledger } from './ledger.tsx';
import { RequestActions } from './request-actions.tsx';
import { requestTone } from './request-tones.ts';

interface Shown {
  request: RequestRecord;
  explained: ExplainedRequest;
  /** As the address has it. */
  name: string;
  onDone: (words: string) => void;
}

/** Where the request stands and why, its ledger, and what can be done with it. */
export function RequestHead({ request, explained, name, onDone }: Shown) {
  const { status, description, output_errands, next } = request;
  const now = useNow();
  const hasOwners = useHasOwners();
  const { headline, detail } = requestProgressText(request, now, grouped);
  return (
    <>
      {request.hold !== null && <Hold hold={request.hold} decided={explained.decided} />}
      {next.includes('run') && (
        <Notice kind="plain" title="No server works on this request.">
          <code className="font-mono text-xs">holdfast requests run {name}</code> works on it where it is
          stored.
        </Notice>
      )}
      <Card className="p-4">
        <div className="mb-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
          <div>
            <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <span className="font-semibold">
                <StatusMark tone={requestTone(status)}>{status.toLowerCase()}</StatusMark>
              </span>
              <span>{headline}</span>
            </p>
            {detail !== '' && <p className="text-sm text-quiet">{capitalised(detail)}</p>}
          </div>
          <RequestActions request={request} name={name} onDone={onDone} />
        </div>
        <Ledger request={request} headline={headline} />
        <p className="mt-1.5 text-sm text-quiet">{capitalised(ledgerText(request, grouped))}</p>
        {request.hold === null && (
          <p className="mt-3 text-sm wrap-anywhere">{visibleText(capitalised(explained.why))}.</p>
        )}
        {explained.open_round !== null && (
          <p className="mt-1 text-sm text-quiet">
            {capitalised(openRoundText(explained.open_round, grouped))}.
          </p>
        )}
        {description !== null && <p className="mt-3 text-sm wrap-anywhere">{visibleText(description)}</p>}
        {output_errands.map((errand) => (
          <p key={errand.id} className="mt-1 text-sm wrap-anywhere">
            {capitalised(outputErrandText(errand, now, clockTime))}
          </p>
        ))}
        <Facts facts={factsOf(request, hasOwners)} />
      </Card>
    </>
  );
}

/** Why it is held, and the rules that led to it. A hold before the first round has none. */
function Hold({
  hold,
  decided,
}: {
  hold: NonNullable<RequestRecord['hold']>;
  decided: ExplainedRequest['decided'];
}) {
  const { round, text, rescue_count, max_rescue_attempts } = hold;
  const isOfRound = decided !== null && decided.round === round && decided.decision.kind === 'hold';
  return (
    <Notice kind="asks" title={visibleText(`Held${round === null ? '' : ` after round ${round}`}: ${text}`)}>
      <p>
        {rescue_count} of {max_rescue_attempts} rescues used
      </p>
      {isOfRound && <RuleWalk walk={decided.decision.walk} />}
    </Notice>
  );
}

function factsOf(request: RequestRecord, hasOwners: boolean): Fact[] {
  const { version, actor, created_at_ms, priority, executor, sites, output_state } = request;
  const { previous_version_request: before, superseded_by_request: after } = request;
  const link = (ref: string) => (
    <Link to={pageUrl('request', { request_name: ref })} className="underline">
      {visibleText(ref)}
    </Link>
  );
  return [
    ['Version', version],
    ...(hasOwners ? ownerFacts(request) : []),
    ...(hasOwners && actor === request.owner ? [] : ([['By', visibleText(actor)]] as Fact[])),
    ['Created', <TimeText key="created" at={created_at_ms} />],
    ['Priority', priority],
    ...(executor === 'workers' ? [] : ([['Executor', executor]] as Fact[])),
    ['Sites', sites === null ? 'any' : visibleText(sites.join(', '))],
    ...(before === null ? [] : ([['Replaces', link(before)]] as Fact[])),
    ...(after === null ? [] : ([['Replaced by', link(after)]] as Fact[])),
    ...(output_state === 'active' ? [] : ([['Outputs', output_state]] as Fact[])),
  ];
}
