import type { Subject } from '../../contract/subject.ts';
import type { Ownership } from '../../core/access/may-change.ts';
import { HoldfastError } from '../../core/errors.ts';
import { listOwnerships, type OwnershipRow } from '../../store/rows/access/ownership-rows.ts';
import type { Script } from '../../store/script.ts';
import { needRequest } from './needed-request.ts';

/** Whose it is. Nothing if it is not there; of a worker, one for each workflow of which it holds jobs. */
export function* readOwnerships(subject: Subject): Script<Ownership[]> {
  if (subject.kind !== 'request') return (yield* listOwnerships(subject.kind, subject.id)).map(ownership);
  try {
    return [ownership(yield* needRequest(subject.name))];
  } catch (error) {
    if (error instanceof HoldfastError) return [];
    throw error;
  }
}

function ownership({ owned_by, access_groups }: OwnershipRow): Ownership {
  return { owner: owned_by, access_groups: JSON.parse(access_groups) as string[] };
}
