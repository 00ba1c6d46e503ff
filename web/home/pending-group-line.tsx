import type { PendingGroup } from '../../src/views/home/attention.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { useWorkflow } from '../app/rights.ts';
import { pageUrl } from '../app/router.ts';
import { useMay } from '../app/session.ts';
import { ErrorLine } from '../job/error-line.tsx';
import { buttonStyle } from '../parts/button.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';
import { AttentionLine } from './attention-line.tsx';

const SHOWN = 3;

/** Failures that look alike; each workflow that has them leads to its triage. */
export function PendingGroupLine({ group }: { group: PendingGroup }) {
  const { fingerprint, error, jobs, workflows, finished_at_ms } = group;
  const rest = workflows.length - SHOWN;
  return (
    <AttentionLine
      title={`${counted(jobs, 'job')} failed with ${error} and ${jobs === 1 ? 'waits' : 'wait'} for a decision`}
      actions={workflows
        .slice(0, SHOWN)
        .map(({ workflow_id, workflow_name }) => (
          <TriageLink
            key={workflow_id}
            workflow={workflow_id}
            name={workflow_name}
            fingerprint={fingerprint}
            isAlone={workflows.length === 1}
          />
        ))}
    >
      <ErrorLine workflow={workflows[0]!.workflow_id} sample={workflows[0]!.sample} />
      {workflows.slice(0, SHOWN).map(({ workflow_id, workflow_name, jobs: count, sample }) => (
        <p key={workflow_id} className="wrap-anywhere">
          <Link to={pageUrl('workflow', { workflow_id })} className="underline">
            {visibleText(workflow_name)}
          </Link>
          : {visibleText(sample.name)}
          {count > 1 && ` and ${(count - 1).toLocaleString('en-GB')} more`}
        </p>
      ))}
      {rest > 0 && <p>and {counted(rest, 'more workflow')}</p>}
      <p>
        last failure <TimeText at={finished_at_ms} /> · fingerprint {fingerprint}
      </p>
    </AttentionLine>
  );
}

/** Those who may not decide may still look. */
function TriageLink({
  workflow,
  name,
  fingerprint,
  isAlone,
}: {
  workflow: number;
  name: string;
  fingerprint: string;
  isAlone: boolean;
}) {
  const mayOperate = useMay('operator');
  // Most can decide: the word does not change for them once the workflow is read.
  const verb = (useWorkflow(workflow)?.may_change ?? mayOperate) ? 'Decide' : 'Look';
  return (
    <Link
      to={pageUrl('triage', { workflow_id: workflow }, { fingerprint })}
      className={buttonStyle('main')}
      aria-label={`${verb} in ${name}`}
    >
      {isAlone ? verb : <span className="max-w-48 truncate">{`${verb} in ${visibleText(name)}`}</span>}
    </Link>
  );
}
