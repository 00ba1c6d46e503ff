import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useDeferredValue, useState } from 'react';
import type { FailedJob, FailureSummary, ResolveResult } from '../../src/contract/records/resolution.ts';
import { formatDuration, formatSize } from '../../src/core/text/quantity.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../app/queries.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { counted, someOf } from '../parts/words.ts';
import { useGroupJobs } from './use-group-jobs.ts';

interface Facts {
  workflow: number;
  group: FailureSummary;
  action: 'retry' | 'fail';
}

/** A request has no more decisions. */
const MOST_DECISIONS = 10_000;

/** One decision for all jobs of a group, with what it would do before it is made. */
export function DecisionDialog({
  onClose,
  onDone,
  ...facts
}: Facts & { onClose: () => void; onDone: (words: string) => void }) {
  const { workflow, group, action } = facts;
  const [given, setGiven] = useState({ memory: '', runtime: '', reason: '' });
  const checked = useDeferredValue(given);
  const chosen = useGroupJobs(workflow, group, MOST_DECISIONS);
  const jobs = chosen.data ?? [];
  const change = useMutation({
    mutationFn: () => resolve(facts, jobs, given, false),
    onSuccess: async (result) => {
      onDone(`Done: ${sentences(result, action, true).join(' ')}`);
      onClose();
      await queryClient.invalidateQueries();
    },
  });
  const plan = useQuery({
    queryKey: ['dry run', workflow, action, group.fingerprint, checked.memory, checked.runtime],
    queryFn: () => resolve(facts, jobs, checked, true),
    // Once it is being done, the answer would be a refusal.
    enabled: chosen.isSuccess && !change.isPending && !change.isSuccess,
    retry: false,
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const field = (name: keyof typeof given) => ({
    value: given[name],
    onChange: (event: { target: { value: string } }) => setGiven({ ...given, [name]: event.target.value }),
  });
  const job = group.sample;
  const count = chosen.isSuccess ? jobs.length : Math.min(group.jobs, MOST_DECISIONS);
  const which = `${counted(count, 'job')}${count < group.jobs ? ` of ${group.jobs.toLocaleString('en-GB')}` : ''}`;
  const verb = action === 'retry' ? 'Retry' : 'Fail';
  return (
    <Dialog title={`${verb} ${which}`} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {action === 'retry' && (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Memory"
              placeholder="as before"
              hint={`Such as 4g. Now: ${job.memory_bytes === null ? 'no limit' : formatSize(job.memory_bytes)}${job.peak_rss_bytes === null ? '' : `, peak ${formatSize(job.peak_rss_bytes)}`}.`}
              {...field('memory')}
            />
            <TextField
              label="Runtime"
              placeholder="as before"
              hint={`Such as 2h. Now: ${job.runtime_ms === null ? 'no limit' : formatDuration(job.runtime_ms)}${job.ran_ms === null ? '' : `, ran ${formatDuration(job.ran_ms)}`}.`}
              {...field('runtime')}
            />
          </div>
        )}
        <TextField
          label="Reason"
          maxLength={2000}
          hint="Recorded, and shown when such a failure comes again."
          {...field('reason')}
        />
        <div className="flex flex-col gap-1 text-sm wrap-anywhere" aria-live="polite">
          {plan.error !== null ? (
            <Problem error={plan.error} />
          ) : (
            plan.data &&
            sentences(plan.data, action, false).map((sentence) => <p key={sentence}>{sentence}</p>)
          )}
        </div>
        {chosen.error !== null && <Problem error={chosen.error} />}
        {change.error !== null && <Problem error={change.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Leave as it is</Button>
          <Button
            kind={action === 'fail' ? 'danger' : 'main'}
            type="submit"
            disabled={change.isPending || jobs.length === 0 || plan.error !== null}
          >
            {verb} {which}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function resolve(
  { workflow, action }: Facts,
  jobs: readonly FailedJob[],
  { memory, runtime, reason }: { memory: string; runtime: string; reason: string },
  isDryRun: boolean,
): Promise<ResolveResult> {
  return call('resolve', workflow, {
    decisions: jobs.map(({ job_id }) => ({
      job_id,
      action,
      ...(action === 'retry' && memory.trim() !== '' && { memory: memory.trim() }),
      ...(action === 'retry' && runtime.trim() !== '' && { runtime: runtime.trim() }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    })),
    dry_run: isDryRun,
  });
}

/** What the server reports that it does, or did. */
function sentences({ jobs }: ResolveResult, action: 'retry' | 'fail', isDone: boolean): string[] {
  const resolved = jobs.filter(({ result }) => result === 'resolved');
  const others = jobs.filter(({ result }) => result === 'already_resolved');
  const canceled = [...new Set(resolved.flatMap((job) => job.canceled))];
  const [first] = resolved;
  const names = visibleText(someOf(resolved.map(({ name }) => name)));
  const auxiliary = resolved.length === 1 ? (isDone ? 'was' : 'is') : isDone ? 'were' : 'are';
  const verb = action === 'retry' ? 'retried' : 'failed for good';
  const more = [
    first?.memory_bytes != null && `${formatSize(first.memory_bytes)} of memory`,
    first?.runtime_ms != null && `a runtime of ${formatDuration(first.runtime_ms)}`,
  ].filter((part) => part !== false);
  return [
    ...(first === undefined
      ? []
      : [`${names} ${auxiliary} ${verb}${more.length === 0 ? '' : ` with ${more.join(' and ')}`}.`]),
    ...(canceled.length === 0
      ? []
      : [
          `${counted(canceled.length, 'job')} that ${canceled.length === 1 ? 'depends' : 'depend'} on that ${canceled.length === 1 ? 'is' : 'are'} canceled: ${visibleText(someOf(canceled))}.`,
        ]),
    ...(others.length === 0 ? [] : [`${counted(others.length, 'job')} had been decided already.`]),
  ];
}
