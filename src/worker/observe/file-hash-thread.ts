import { parentPort } from 'node:worker_threads';
import { CHANGED_MEANWHILE, type FileState } from '../../core/files/file-mark.ts';
import { type FileFacts, factsOf, lookAtFile, sameFacts, unread } from '../../host/look-at-file.ts';

// The thread in which declared files are read, one at a time. It can be terminated at any moment.

export interface HashTask {
  path: string;
  maxBytes: number;
  /** What the file was: one that has changed since is not read. null: as it is. */
  seen: FileFacts | null;
}

/** Thousands of jobs may read the same file; a file is read once while it does not change. */
const MOST_REMEMBERED = 10_000;
const remembered = new Map<string, { facts: FileFacts; maxBytes: number; state: FileState }>();

function stateOf({ path, maxBytes, seen }: HashTask): FileState {
  const known = remembered.get(path);
  const isKnown = (facts: FileFacts) => known?.maxBytes === maxBytes && sameFacts(known.facts, facts);
  if (seen !== null && isKnown(seen)) return known!.state;
  const facts = factsOf(path);
  if (seen !== null && !sameFacts(seen, facts)) return unread(seen, CHANGED_MEANWHILE);
  if (isKnown(facts)) return known!.state;
  const state = lookAtFile(path, maxBytes, facts);
  // A directory shows nothing of what changes in its files.
  if (facts.kind === 'file' && state.problem === null) {
    remembered.delete(path);
    remembered.set(path, { facts, maxBytes, state });
    if (remembered.size > MOST_REMEMBERED) remembered.delete(remembered.keys().next().value!);
  }
  return state;
}

const port = parentPort!;
port.on('message', (task: HashTask) => port.postMessage(stateOf(task)));
