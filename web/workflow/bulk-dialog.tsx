import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { queryClient } from '../app/queries.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { Loading } from '../parts/section.tsx';
import { counted } from '../parts/words.ts';
import { type BulkAction, carryOut, type Selection } from './bulk-action.ts';
import type { JobFilter } from './listed-jobs.ts';

export const ACTION_WORDS: Record<BulkAction, string> = {
  retry: 'Retry',
  from: 'Retry from here',
  fail: 'Fail',
  cancel: 'Cancel',
  reset: 'Start over',
};

/** Says what would be changed, as the server found out, and asks before it is. */
export function BulkDialog({
  workflow,
  action,
  selection,
  listed,
  waiting,
  what,
  onClose,
  onDone,
}: {
  workflow: number;
  action: BulkAction;
  selection: Selection;
  listed?: JobFilter | undefined;
  waiting?: { name: string } | undefined;
  what: string;
  onClose: () => void;
  onDone?: () => void;
}) {
  const order = { action, selection, ...(listed && { listed }), ...(waiting && { waiting }) };
  const [reason, setReason] = useState('');
  const change = useMutation({
    mutationFn: () => carryOut(workflow, { ...order, reason }, false),
    onSuccess: async () => {
      onDone?.();
      onClose();
      await queryClient.invalidateQueries();
    },
  });
  const plan = useQuery({
    queryKey: ['dry run', workflow, order],
    queryFn: () => carryOut(workflow, { ...order, reason: '' }, true),
    // Once it is being done, the answer would be a refusal.
    enabled: !change.isPending && !change.isSuccess,
    retry: false,
    gcTime: 0,
  });
  const count = plan.data?.count ?? 0;
  const verb = ACTION_WORDS[action];
  return (
    <Dialog title={`${verb}: ${what}`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        {plan.isPending && <Loading />}
        {plan.error !== null && <Problem error={plan.error} />}
        {plan.data && (
          <div className="flex flex-col gap-1 wrap-anywhere">
            {plan.data.sentences.map((sentence) => (
              <p key={sentence}>{visibleText(sentence)}</p>
            ))}
          </div>
        )}
        {plan.data && count > 0 && action !== 'reset' && (
          <TextField
            label="Reason"
            hint="Recorded with the change, for those who look later."
            maxLength={2000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        {change.error !== null && <Problem error={change.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{count > 0 ? 'Leave as it is' : 'Close'}</Button>
          {count > 0 && (
            <Button
              kind={action === 'cancel' || action === 'fail' ? 'danger' : 'main'}
              disabled={change.isPending}
              onClick={() => change.mutate()}
            >
              {verb}: {counted(count, 'job')}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
