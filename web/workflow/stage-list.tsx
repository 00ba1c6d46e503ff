import type { WorkflowStatus } from '../../src/contract/records/records.ts';
import { formatDuration } from '../../src/core/text/quantity.ts';
import { type Stage, stageProgress } from '../../src/views/timeline/stage-progress.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { workflowState } from '../../src/views/workflow-state.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { ProgressBar } from '../parts/progress.tsx';
import { counted } from '../parts/words.ts';
import { useGraph } from './graph/use-graph.ts';

const SHOWN = 6;

/** How far each stage of a workflow is that has not ended, and how long it still takes. */
export function StageList({ status }: { status: WorkflowStatus }) {
  const { id } = status.workflow;
  const { graph } = useGraph(id);
  if (graph === null) return null;
  const stages = stageProgress(graph, status);
  const open = stages.filter(({ ended, jobs }) => ended < jobs);
  // Where each is one job, the table below says the same.
  if (stages.length < 2 || open.every(({ jobs }) => jobs === 1)) return null;
  const isRunning = workflowState(status) === 'running';
  const rest = open.length - SHOWN;
  return (
    <div className="mt-4 border-t border-line pt-3">
      <h2 className="mb-2 text-sm font-semibold">
        {stages.length === open.length
          ? 'Stages'
          : `Stages: ${stages.length - open.length} of ${stages.length} ended`}
      </h2>
      <ul className="flex flex-col gap-2 text-sm">
        {open.slice(0, SHOWN).map((stage) => (
          <StageLine key={stage.label} stage={stage} isRunning={isRunning} />
        ))}
      </ul>
      {rest > 0 && (
        <p className="mt-2 text-sm text-quiet">
          and {counted(rest, 'more stage')};{' '}
          <Link to={pageUrl('workflow', { workflow_id: id }, { tab: 'graph' })} className="underline">
            all of them in the graph
          </Link>
        </p>
      )}
    </div>
  );
}

function StageLine({ stage, isRunning }: { stage: Stage; isRunning: boolean }) {
  const { label, jobs, ended, counts, has_begun, remaining_ms } = stage;
  const name = visibleText(label);
  const time =
    remaining_ms === null ? '' : `about ${formatDuration(Math.round(remaining_ms / 1_000) * 1_000)}`;
  return (
    <li className="grid items-center gap-x-4 gap-y-1 sm:grid-cols-[minmax(12rem,1fr)_minmax(0,2fr)_8rem_10rem]">
      <span className="truncate font-medium" title={name}>
        {name}
      </span>
      <ProgressBar counts={counts} label={name} />
      <span className="text-quiet tabular-nums">
        {ended.toLocaleString('en-GB')} of {jobs.toLocaleString('en-GB')}
      </span>
      <span className="text-quiet">
        {isRunning && time !== '' && (has_begun ? `${time} left` : `${time} once it starts`)}
      </span>
    </li>
  );
}
