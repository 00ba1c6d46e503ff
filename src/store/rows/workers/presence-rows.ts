import { EXCLUSIVE } from '../../lock-rows.ts';
import { first, lock, run, type Script } from '../../script.ts';

/** A server is up at this time. Returns when one was last; null if none has been before. */
export function* noteServer(now: number): Script<number | null> {
  yield* run('insert into server_presence (id, seen_at) values (1, 0) on conflict (id) do nothing');
  // Of several servers that start at once only the first finds that none was up.
  yield* lock(`select id from server_presence where id = 1 ${EXCLUSIVE}`);
  const { seen_at } = (yield* first<{ seen_at: number }>(
    'select seen_at from server_presence where id = 1',
  ))!;
  yield* run('update server_presence set seen_at = ? where id = 1 and seen_at < ?', now, now);
  return seen_at === 0 ? null : seen_at;
}

/** The clock by which one was last up was set back. */
export function* setServer(now: number): Script<void> {
  yield* run('update server_presence set seen_at = ? where id = 1', now);
}
