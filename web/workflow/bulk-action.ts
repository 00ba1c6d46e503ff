import { JOB_STATUSES, type JobStatus } from '../../src/core/job/job-status.ts';
import { call } from '../api/call.ts';
import { counted, someOf } from '../parts/words.ts';
import { decide, waitingJobs } from './bulk-decision.ts';
import { type JobFilter, listedJobs } from './listed-jobs.ts';

/** Which jobs, in the selection language of the commands. */
export interface Selection {
  jobs?: number[];
  statuses?: JobStatus[];
  from?: number[];
}

export type BulkAction = 'retry' | 'from' | 'fail' | 'cancel' | 'reset';

/** What an action does or would do, in words. */
export interface Effect {
  /** How many jobs it is for. */
  count: number;
  sentences: string[];
}

export interface Order {
  action: BulkAction;
  selection: Selection;
  /** All jobs that the table lists with these filters, in place of a selection. */
  listed?: JobFilter | undefined;
  /** Jobs that wait for a decision are meant alone, as far as this is a part of their names. */
  waiting?: { name: string };
  reason: string;
}

const MODES = {
  retry: ['It gets one more attempt in this run.', 'They get one more attempt in this run.'],
  again: [
    'It and everything downstream of it start over in this run.',
    'They and everything downstream of them start over in this run.',
  ],
  new_run: [
    'A new run begins, in which it and everything downstream of it start over.',
    'A new run begins, in which they and everything downstream of them start over.',
  ],
  nothing: ['Nothing is left to do.', 'Nothing is left to do.'],
} as const;

/** A change has no more jobs. */
const MOST_JOBS = 100_000;

/**
 * Names in the table and those in commands differ: in the table case does not matter, and a name is found by a part of it.
 * Statuses leave out what cannot be changed, as they do for a command.
 */
async function selectionOf(workflow: number, filter: JobFilter): Promise<Selection> {
  const { name, statuses } = filter;
  if (name === '') return { statuses };
  return {
    jobs: await listedJobs(workflow, filter, MOST_JOBS),
    statuses: statuses.length > 0 ? statuses : [...JOB_STATUSES],
  };
}

/** Carries an order out, or finds out what it would do. */
export async function carryOut(workflow: number, order: Order, isDryRun: boolean): Promise<Effect> {
  const { action } = order;
  const selection = order.listed === undefined ? order.selection : await selectionOf(workflow, order.listed);
  if (selection.jobs?.length === 0) return { count: 0, sentences: ['No job matches these filters.'] };
  const why = order.reason.trim() === '' ? {} : { reason: order.reason.trim() };
  switch (action) {
    case 'retry':
    case 'from': {
      const waiting = action === 'from' ? [] : await waitingJobs(workflow, order);
      if (waiting.length > 0) return decide(workflow, waiting, order, isDryRun);
      const { jobs, revived, mode } = await call('retryJobs', workflow, {
        ...selection,
        ...why,
        dry_run: isDryRun,
      });
      const names = jobs.map(({ name }) => name);
      const them = names.length === 1 ? 'it' : 'them';
      return {
        count: names.length,
        sentences: [
          `${counted(names.length, 'job')}: ${someOf(names)}.`,
          MODES[mode][names.length === 1 ? 0 : 1],
          ...(revived.length === 0
            ? []
            : [
                `${counted(revived.length, 'job')} canceled because of ${them} ${revived.length === 1 ? 'waits' : 'wait'} for ${them} again.`,
              ]),
        ],
      };
    }
    case 'fail':
      return decide(workflow, await waitingJobs(workflow, order), order, isDryRun);
    case 'cancel': {
      const { canceled, stopping } = await call('cancel', workflow, {
        ...selection,
        ...why,
        dry_run: isDryRun,
      });
      return {
        count: canceled.length + stopping.length,
        sentences: [
          ...(canceled.length + stopping.length === 0 ? ['No job is left to cancel.'] : []),
          ...(canceled.length === 0
            ? []
            : [`${counted(canceled.length, 'job')} not running: canceled at once.`]),
          ...(stopping.length === 0
            ? []
            : [`${counted(stopping.length, 'running job')}: ended, then canceled.`]),
        ],
      };
    }
    case 'reset': {
      const { jobs, run_id } = await call('resetStatus', workflow, { ...selection, dry_run: isDryRun });
      const names = jobs.map(({ name }) => name);
      return {
        count: names.length,
        sentences: [
          `Run ${run_id} begins. ${counted(names.length, 'job')} ${names.length === 1 ? 'starts' : 'start'} over: ${someOf(names)}.`,
          'Everything else keeps its result.',
        ],
      };
    }
  }
}
