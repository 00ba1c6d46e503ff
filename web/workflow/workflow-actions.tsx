import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { WorkflowStatus } from '../../src/contract/records/records.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../app/queries.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/notice.tsx';
import { BulkDialog } from './bulk-dialog.tsx';

/** What fits the state of the workflow, for those who may do it. */
export function WorkflowActions({ status }: { status: WorkflowStatus }) {
  const { workflow, complete } = status;
  const { id } = workflow;
  const [isCanceling, setCanceling] = useState(false);
  const change = useMutation({
    mutationFn: (what: 'pauseWorkflow' | 'resumeWorkflow' | 'stopWorkflow') => call(what, id, {}),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  if (workflow.may_change !== true || complete) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {workflow.paused === null ? (
        <>
          <Button
            title="No more jobs are started; running ones finish."
            disabled={change.isPending}
            onClick={() => change.mutate('pauseWorkflow')}
          >
            Pause
          </Button>
          <Button
            title="Running jobs are ended, free of charge, and are ready again."
            disabled={change.isPending}
            onClick={() => change.mutate('stopWorkflow')}
          >
            Stop
          </Button>
        </>
      ) : (
        <Button kind="main" disabled={change.isPending} onClick={() => change.mutate('resumeWorkflow')}>
          Resume
        </Button>
      )}
      <Button kind="danger" onClick={() => setCanceling(true)}>
        Cancel workflow …
      </Button>
      {change.error !== null && <Problem error={change.error} />}
      {isCanceling && (
        <BulkDialog
          workflow={id}
          action="cancel"
          selection={{}}
          what="all jobs that have not ended"
          onClose={() => setCanceling(false)}
        />
      )}
    </div>
  );
}
