import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AttemptRecord } from '../../src/contract/records/records.ts';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { type ExplainedJob, explainedJob } from '../../src/views/explanation.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { useKeys } from '../app/keys.ts';
import { useWorkflow } from '../app/rights.ts';
import { Choice } from '../parts/choice.tsx';
import { Crumbs, workflowCrumb } from '../parts/crumbs.tsx';
import { focusSearch, SelectField } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { Loading, Section } from '../parts/section.tsx';
import { useTitle } from '../parts/use-title.ts';
import { AttemptCard } from './attempt-card.tsx';
import { JobHead } from './job-head.tsx';
import { LogView } from './log-view.tsx';
import { UsageSection } from './usage-section.tsx';

const MOST_BESIDE = 3;

export function JobPage({ workflow, job }: { workflow: number; job: number }) {
  const record = useWorkflow(workflow);
  const explained = useQuery({
    queryKey: ['explain', workflow, job],
    queryFn: async () => {
      const [explanation, events] = await Promise.all([
        call('explain', workflow, job),
        call('listEvents', workflow, { job, limit: 1000, sort: '-id' }),
      ]);
      return explainedJob(explanation, events.items.toReversed());
    },
  });
  const name = explained.data ? visibleText(jobLabel(explained.data.job)) : `Job ${job}`;
  useTitle(name);
  useKeys({ '/': focusSearch });
  return (
    <div className="flex flex-col gap-6">
      <Crumbs trail={[workflowCrumb(workflow, record)]} here={name} />
      {explained.error !== null && <Problem error={explained.error} />}
      {explained.isPending && <Loading />}
      {explained.data && (
        <>
          <JobHead explained={explained.data} />
          <Logs explained={explained.data} />
          <Usage explained={explained.data} />
          <Attempts explained={explained.data} />
        </>
      )}
    </div>
  );
}

/** Of the newest attempt that began. */
function Usage({ explained: { job, attempts } }: { explained: ExplainedJob }) {
  const newest = attempts
    .map(({ attempt }) => attempt)
    .findLast(({ started_at_ms }) => started_at_ms !== null);
  return newest === undefined ? null : <UsageSection job={job} attempt={newest} />;
}

function Attempts({ explained }: { explained: ExplainedJob }) {
  const { attempts } = explained;
  if (attempts.length === 0) return null;
  return (
    <Section title={attempts.length === 1 ? 'One attempt' : `${attempts.length} attempts`}>
      <ol className="flex flex-col gap-3">
        {attempts.toReversed().map(({ attempt, walk }) => (
          <AttemptCard
            key={`${attempt.run_id} ${attempt.attempt_id}`}
            attempt={attempt}
            walk={walk}
            explained={explained}
          />
        ))}
      </ol>
    </Section>
  );
}

const keyOf = ({ run_id, attempt_id }: AttemptRecord) => `${run_id}.${attempt_id}`;

/** Beside each other as long as they fit on a phone; else in a list, the newest first. */
function AttemptChoice({
  attempts,
  value,
  onChange,
}: {
  attempts: AttemptRecord[];
  value: string;
  onChange: (key: string) => void;
}) {
  const isOneRun = attempts.every(({ run_id }) => run_id === attempts[0]!.run_id);
  const options = attempts.map((attempt) => ({
    value: keyOf(attempt),
    text: `${isOneRun ? '' : `Run ${attempt.run_id}, `}${isOneRun ? 'Attempt' : 'attempt'} ${attempt.attempt_id}`,
  }));
  if (attempts.length > MOST_BESIDE) {
    return (
      <SelectField
        label="Attempt"
        isLabelHidden
        options={options.toReversed()}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  const texts = Object.fromEntries(options.map((option) => [option.value, option.text]));
  return <Choice label="Attempt" options={texts} value={value} onChange={onChange} />;
}

/** The log of the newest attempt that began, or of an earlier one. */
function Logs({ explained: { job, attempts } }: { explained: ExplainedJob }) {
  const begun = attempts.map(({ attempt }) => attempt).filter(({ started_at_ms }) => started_at_ms !== null);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = begun.find((attempt) => keyOf(attempt) === chosen) ?? begun.at(-1);
  if (shown === undefined) return null;
  return (
    <Section
      title="Log"
      beside={
        begun.length > 1 && <AttemptChoice attempts={begun} value={keyOf(shown)} onChange={setChosen} />
      }
    >
      <LogView
        workflow={job.workflow_id}
        job={job.id}
        runId={shown.run_id}
        attemptId={shown.attempt_id}
        // A failure is explained in stderr; a success has most often written nothing there.
        first={shown.cause === null ? 'stdout' : 'stderr'}
      />
    </Section>
  );
}
