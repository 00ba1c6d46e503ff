import { mayDo } from '../../contract/roles.ts';
import { mayChange, type Ownership } from '../../core/access/may-change.ts';
import type { Caller } from './caller.ts';

/**
 * The answer with what the caller may do: every workflow and request in it has `may_change`, by the rule that admits
 * changes. Records of both are answers, or in `workflow`, or in the `items` of a list.
 */
export function withRights(caller: Caller | null, answer: unknown): unknown {
  if (!isRecord(answer)) return answer;
  if (isOwned(answer)) return { ...answer, may_change: mayChangeIt(caller, answer) };
  const { workflow, items } = answer;
  if (isRecord(workflow) && isOwned(workflow)) {
    return { ...answer, workflow: withRights(caller, workflow) };
  }
  if (!Array.isArray(items) || items.length === 0) return answer;
  const [first] = items as unknown[];
  if (!isRecord(first) || !(isOwned(first) || isRecord(first.workflow))) return answer;
  return { ...answer, items: items.map((item) => withRights(caller, item)) };
}

function mayChangeIt(caller: Caller | null, ownership: Ownership): boolean {
  return caller === null || (mayDo(caller.role, 'operator') && mayChange(caller, ownership));
}

function isOwned(record: Record<string, unknown>): record is Record<string, unknown> & Ownership {
  return typeof record.owner === 'string' && Array.isArray(record.access_groups);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
