import type { Engine } from '../../contract/engine.ts';
import type { RequestChange } from '../../contract/records/request.ts';
import { purposeOf } from '../../views/requests/next-step.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import { requestChangeView } from '../texts/requests/request-change-text.ts';
import type { TopRequestAction, TopRequestPlan } from './plans.ts';

const VERBS: Record<TopRequestAction['verb'], string> = { release: 'Release', stop: 'Stop' };

/** Tries a change of a request without changing anything. */
export async function tryRequestAction(
  engine: Engine,
  { verb, target }: TopRequestAction,
  actor: string,
): Promise<TopRequestPlan> {
  const { message, status, previous_status } = await change(engine, verb, target.name, {
    actor,
    dry_run: true,
  });
  return {
    kind: 'request',
    verb,
    target,
    actor,
    question: `${VERBS[verb]} request ${target.name}?`,
    words: [
      purposeOf(verb),
      `${status === previous_status ? status : `${previous_status} → ${status}`}: ${message}`,
    ],
  };
}

/** Returns what was done. */
export async function carryOutRequest(
  engine: Engine,
  { verb, target, actor }: TopRequestPlan,
  style: TextStyle,
): Promise<string> {
  const done = await change(engine, verb, target.name, { actor });
  return requestChangeView.table({ change: done, isDryRun: false }, style)[0]!;
}

function change(
  engine: Engine,
  verb: TopRequestAction['verb'],
  name: string,
  order: { actor: string; dry_run?: boolean },
): Promise<RequestChange> {
  return verb === 'release' ? engine.releaseRequest(name, order) : engine.stopRequest(name, order);
}
