import { useState } from 'react';
import type { RequestChange } from '../../src/contract/records/request.ts';
import { purposeOf } from '../../src/views/requests/next-step.ts';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { capitalised } from '../parts/notice.tsx';

/** Actions that need no more than a reason; a release has a form of its own. */
export type SimpleAction = 'fail' | 'restart' | 'stop' | 'pause' | 'resume';

const OPERATIONS = {
  fail: 'failRequest',
  restart: 'restartRequest',
  stop: 'stopRequest',
  pause: 'pauseRequest',
  resume: 'resumeRequest',
} as const;

export const VERBS: Record<SimpleAction, string> = {
  fail: 'Fail',
  restart: 'Restart',
  stop: 'Stop',
  pause: 'Pause',
  resume: 'Resume',
};

/** They end what runs. */
export function isDangerous(action: SimpleAction): boolean {
  return action === 'fail' || action === 'restart';
}

/** Says what the server would do, and asks. */
export function ActionDialog({
  name,
  action,
  onDone,
  onClose,
}: {
  name: string;
  action: SimpleAction;
  onDone: (change: RequestChange) => void;
  onClose: () => void;
}) {
  const [isPaused, setPaused] = useState(false);
  const more = action === 'stop' && isPaused ? { pause: true } : {};
  return (
    <ConfirmDialog
      title={`${VERBS[action]} ${name}`}
      verb={`${VERBS[action]} ${name}`}
      isDangerous={isDangerous(action)}
      reasonHint="Recorded in the history, for those who look later."
      dryRun={{
        key: [action, name, isPaused],
        run: () => call(OPERATIONS[action], name, { ...more, dry_run: true }),
      }}
      act={(reason) => call(OPERATIONS[action], name, { ...more, ...reason })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{capitalised(purposeOf(action))}.</p>
      {action === 'stop' && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={isPaused}
            onChange={({ target }) => setPaused(target.checked)}
          />
          Stay out of the queue afterwards
        </label>
      )}
    </ConfirmDialog>
  );
}
