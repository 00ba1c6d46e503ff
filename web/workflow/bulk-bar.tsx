import { useState } from 'react';
import { type JobStatus, TERMINAL_STATUSES } from '../../src/core/job/job-status.ts';
import { isPattern } from '../../src/core/selection/glob.ts';
import { Button } from '../parts/button.tsx';
import { statusWords } from '../parts/status-icon.tsx';
import { counted } from '../parts/words.ts';
import type { BulkAction, Selection } from './bulk-action.ts';
import { ACTION_WORDS, BulkDialog } from './bulk-dialog.tsx';
import type { JobFilter } from './listed-jobs.ts';

const FAILED: JobStatus[] = ['failed', 'terminated'];

/** Actions for the chosen jobs; without any, for all jobs that the filters leave. */
export function BulkBar({
  workflow,
  hasFailed,
  hasWaiting,
  chosen,
  onChoose,
  name,
  statuses,
}: {
  workflow: number;
  hasFailed: boolean;
  /** Jobs wait for a decision. */
  hasWaiting: boolean;
  chosen: ReadonlyMap<number, string>;
  onChoose: (chosen: ReadonlyMap<number, string>) => void;
  name: string;
  statuses: JobStatus[];
}) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const hasChosen = chosen.size > 0;
  const hasFilter = name !== '' || statuses.length > 0;
  const isAllOver = statuses.length > 0 && statuses.every((each) => TERMINAL_STATUSES.has(each));
  const isForWaiting = statuses.length === 1 && statuses[0] === 'pending_failed';
  const offersFail = hasWaiting && (hasChosen || isForWaiting);
  const fail: BulkAction[] = offersFail ? ['fail'] : [];
  const offered: BulkAction[] = hasChosen
    ? ['retry', 'from', ...fail, 'cancel', 'reset']
    : isAllOver
      ? ['retry', 'reset']
      : ['retry', ...fail, 'cancel', 'reset'];
  const { selection, listed, what }: Meant = hasChosen
    ? ofChosen(chosen, action)
    : hasFilter
      ? ofFilter(name, statuses)
      : { selection: { statuses: FAILED }, what: 'failed jobs' };
  if (!hasChosen && !hasFilter && !hasFailed) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span className="mr-1 text-quiet">
        {hasChosen
          ? `${counted(chosen.size, 'job')} chosen:`
          : hasFilter
            ? `All ${what}:`
            : 'All failed jobs:'}
      </span>
      {(hasChosen || hasFilter ? offered : (['retry'] as const)).map((each) => (
        <Button
          key={each}
          kind={each === 'cancel' || each === 'fail' ? 'danger' : 'plain'}
          onClick={() => setAction(each)}
        >
          {ACTION_WORDS[each]} …
        </Button>
      ))}
      {hasChosen && <Button onClick={() => onChoose(new Map())}>Choose none</Button>}
      {action !== null && (
        <BulkDialog
          workflow={workflow}
          action={action}
          selection={selection}
          listed={listed}
          waiting={!hasChosen && isForWaiting ? { name } : undefined}
          what={what}
          onClose={() => setAction(null)}
          onDone={() => onChoose(new Map())}
        />
      )}
    </div>
  );
}

/** Which jobs an action is for, also in words. */
interface Meant {
  selection: Selection;
  listed?: JobFilter;
  what: string;
}

function ofChosen(chosen: ReadonlyMap<number, string>, action: BulkAction | null): Meant {
  const ids = [...chosen.keys()];
  const what = chosen.size === 1 ? [...chosen.values()][0]! : `${chosen.size} chosen jobs`;
  return { selection: action === 'from' ? { from: ids } : { jobs: ids }, what };
}

function ofFilter(name: string, statuses: JobStatus[]): Meant {
  const words = statuses.length === 0 ? '' : ` with status ${statuses.map(statusWords).join(' or ')}`;
  return {
    selection: {},
    listed: { name, statuses },
    what: `jobs${words}${name === '' ? '' : isPattern(name) ? ` named ${name}` : ` with ${name} in their names`}`,
  };
}
