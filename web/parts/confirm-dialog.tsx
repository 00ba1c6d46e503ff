import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { queryClient } from '../app/queries.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { capitalised, Problem } from './notice.tsx';

const LONGEST_REASON = 2000;

/** Something that changes what others see, as a question. */
export interface Question<T> {
  title: string;
  /** What is about to happen, in sentences. */
  children: ReactNode;
  /** The button that does it, such as `Ban north`. */
  verb: string;
  isDangerous?: boolean;
  /** `null`: a reason is not asked for. */
  reasonHint: string | null;
  /** What the form lacks; it cannot be sent then. */
  isIncomplete?: boolean;
  /** Asks the server what would happen; the key changes with what is asked. */
  dryRun?: { key: unknown[]; run: () => Promise<{ message: string }> };
  act: (reason: { reason?: string }) => Promise<T>;
  onDone: (result: T) => void;
  onClose: () => void;
}

/** Says what would be changed and asks before it is. Refusals are shown in the words of the server. */
export function ConfirmDialog<T>(question: Question<T>) {
  const { title, children, verb, isDangerous, reasonHint, isIncomplete = false, dryRun, act } = question;
  const { onDone, onClose } = question;
  const [reason, setReason] = useState('');
  const change = useMutation({
    mutationFn: () => act(reason.trim() === '' ? {} : { reason: reason.trim() }),
    onSuccess: async (result) => {
      onDone(result);
      onClose();
      await queryClient.invalidateQueries();
    },
  });
  const plan = useQuery({
    queryKey: ['dry run', ...(dryRun?.key ?? [])],
    queryFn: () => dryRun!.run(),
    // Once it is being done, what it would do is no question any more, and the answer a refusal.
    enabled: dryRun !== undefined && !isIncomplete && !change.isPending && !change.isSuccess,
    retry: false,
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const isRefused = plan.error !== null && !isIncomplete;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isIncomplete && !isRefused) change.mutate();
  };
  return (
    <Dialog title={visibleText(title)} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="flex flex-col gap-4 wrap-anywhere">{children}</div>
        {reasonHint !== null && (
          <TextField
            label="Reason"
            hint={reasonHint}
            maxLength={LONGEST_REASON}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        {dryRun !== undefined && (
          <div aria-live="polite" className="min-h-6 text-sm wrap-anywhere">
            {isRefused ? (
              <Problem error={plan.error} />
            ) : (
              // What an earlier form would have done is no answer to one that cannot be sent.
              !isIncomplete &&
              plan.data && <p className="font-medium">{visibleText(capitalised(plan.data.message))}.</p>
            )}
          </div>
        )}
        {change.error !== null && <Problem error={change.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Leave as it is</Button>
          <Button
            kind={isDangerous === true ? 'danger' : 'main'}
            type="submit"
            disabled={change.isPending || isIncomplete || isRefused}
          >
            {visibleText(verb)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
