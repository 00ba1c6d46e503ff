import { awaitsOvertaken, isOvertaken } from '../job/full-state.ts';
import type { FlowDraft } from './flow-draft.ts';
import { awaitDependencies } from './job-moves.ts';
import { isWithin } from './scopes.ts';
import { resolveBlocked } from './settle.ts';

/** Goals of gotos start when no attempt that they overtook is left running in their scope. */
export function releaseReentries(draft: FlowDraft): void {
  const overtaken = draft.overtaken();
  const live = overtaken.filter(({ state }) => isOvertaken(state));
  for (const job of overtaken) {
    if (!awaitsOvertaken(job.state) || live.some(({ scope }) => isWithin(scope, job.scope))) continue;
    awaitDependencies(job);
    resolveBlocked(draft, job);
  }
}
