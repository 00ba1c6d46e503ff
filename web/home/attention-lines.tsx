import { useMutation } from '@tanstack/react-query';
import type { AttentionItem } from '../../src/contract/records/overview.ts';
import type { WorkerRecord } from '../../src/contract/records/records.ts';
import type { BanRecord, RequestSummary } from '../../src/contract/records/request.ts';
import { requestRef } from '../../src/views/requests/next-step.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { Link } from '../app/link.tsx';
import { queryClient } from '../app/queries.ts';
import { useMayChange } from '../app/rights.ts';
import { pageUrl } from '../app/router.ts';
import { Button, buttonStyle } from '../parts/button.tsx';
import { Problem } from '../parts/notice.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';
import { AttentionLine } from './attention-line.tsx';

export function HeldRequest({ request }: { request: RequestSummary }) {
  const { request_name, hold, changed_at_ms } = request;
  return (
    <AttentionLine
      title={`Request ${request_name} is held`}
      actions={
        <Link
          to={pageUrl('request', { request_name: requestRef(request) })}
          className={buttonStyle('main')}
          aria-label={
            request.may_change === true ? `Decide about ${request_name}` : `See why ${request_name} is held`
          }
        >
          {request.may_change === true ? 'Decide' : 'See why'}
        </Link>
      }
    >
      <p className="wrap-anywhere">{visibleText(hold!.text)}</p>
      <p>
        since <TimeText at={changed_at_ms} />
      </p>
    </AttentionLine>
  );
}

type Scheduler = Extract<AttentionItem, { kind: 'scheduler' }>;

export function PausedScheduler({ scheduler }: { scheduler: Scheduler }) {
  const { workflow_id, workflow_name, name, reason, paused_at_ms } = scheduler;
  const mayResume = useMayChange(workflow_id);
  const resume = useMutation({
    mutationFn: () => call('resumeScheduler', workflow_id, name),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <AttentionLine
      title={`Scheduler ${name} is paused: ${reason}`}
      actions={
        mayResume && (
          <Button disabled={resume.isPending} onClick={() => resume.mutate()}>
            Resume scheduler
          </Button>
        )
      }
    >
      <p className="wrap-anywhere">
        of{' '}
        <Link to={pageUrl('workflow', { workflow_id })} className="underline">
          {visibleText(workflow_name)}
        </Link>
        , since <TimeText at={paused_at_ms} />
      </p>
      {resume.error !== null && <Problem error={resume.error} />}
    </AttentionLine>
  );
}

/** Nothing can be pressed: its lease ends by itself, and its jobs are taken back then. */
export function SilentWorker({ worker }: { worker: WorkerRecord }) {
  const { id, host, state, running, lease_expires_at_ms } = worker;
  return (
    <AttentionLine tone="bad" title={`Worker ${id} on ${host} is ${state === 'lost' ? 'lost' : 'silent'}`}>
      <p>
        it holds {counted(running, 'job')}; its lease {state === 'lost' ? 'ended' : 'ends'}{' '}
        <TimeText at={lease_expires_at_ms} />
      </p>
    </AttentionLine>
  );
}

export function BanLine({ ban }: { ban: BanRecord }) {
  const { site, request_name, reason, expires_at_ms } = ban;
  return (
    <AttentionLine
      tone="waits"
      title={`The ban of site ${site}${request_name === null ? '' : ` for request ${request_name}`} ends soon`}
    >
      <p className="wrap-anywhere">
        {visibleText(reason)}; ends <TimeText at={expires_at_ms!} />
      </p>
    </AttentionLine>
  );
}
