import { useState } from 'react';
import type { RequestChange, RequestRecord } from '../../src/contract/records/request.ts';
import { purposeOf } from '../../src/views/requests/next-step.ts';
import { goTo, pageUrl } from '../app/router.ts';
import { Button } from '../parts/button.tsx';
import { capitalised } from '../parts/notice.tsx';
import { ActionDialog, isDangerous, type SimpleAction, VERBS } from './action-dialog.tsx';
import { ReleaseDialog } from './release-dialog.tsx';

const SIMPLE = Object.keys(VERBS) as SimpleAction[];

/** What the state of the request allows, for those who may do it. */
export function RequestActions({
  request,
  name,
  onDone,
}: {
  request: RequestRecord;
  name: string;
  onDone: (words: string) => void;
}) {
  const [asked, setAsked] = useState<SimpleAction | 'release' | null>(null);
  if (request.may_change !== true) return null;
  const offered = request.next.filter((action) => action === 'release' || isSimple(action));
  const done = (action: SimpleAction | 'release') => (change: RequestChange) => {
    onDone(`${change.previous_status} → ${change.status}: ${change.message}`);
    // The name alone leads to the version that has just begun.
    if (action === 'restart') goTo(pageUrl('request', { request_name: request.request_name }));
  };
  const close = () => setAsked(null);
  return (
    <div className="flex flex-wrap gap-2">
      {offered.map((action) => (
        <Button
          key={action}
          kind={buttonKind(action)}
          title={`${capitalised(purposeOf(action))}.`}
          onClick={() => setAsked(action)}
        >
          {action === 'release' ? 'Release' : VERBS[action]} …
        </Button>
      ))}
      {asked === 'release' && (
        <ReleaseDialog request={request} name={name} onDone={done('release')} onClose={close} />
      )}
      {asked !== null && asked !== 'release' && (
        <ActionDialog name={name} action={asked} onDone={done(asked)} onClose={close} />
      )}
    </div>
  );
}

function isSimple(action: string): action is SimpleAction {
  return SIMPLE.includes(action as SimpleAction);
}

function buttonKind(action: SimpleAction | 'release'): 'main' | 'danger' | 'plain' {
  if (action === 'release' || action === 'resume') return 'main';
  return isDangerous(action) ? 'danger' : 'plain';
}
