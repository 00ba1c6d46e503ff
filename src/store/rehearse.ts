import { run, type Script } from './script.ts';

/** Plays a script inside a transaction that writes, and takes back what it changed: for what a dry run has to know. */
export function* rehearse<T>(script: Script<T>): Script<T> {
  yield* run('savepoint rehearsal');
  const result = yield* script;
  yield* run('rollback to savepoint rehearsal');
  return result;
}
