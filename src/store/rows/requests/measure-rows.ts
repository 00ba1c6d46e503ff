import { first, type Script } from '../../script.ts';

/** Mean time per finished unit over the runs of a request that have ended, in milliseconds; null: nothing was finished. */
export function* measureRounds(requestId: number): Script<number | null> {
  const row = yield* first<{ run_ms: number | null; units: number }>(
    `select (select sum(run.finished_at - run.started_at) from round join run on run.workflow_id = round.workflow_id
         where round.request_id = ? and run.finished_at is not null and run.started_at is not null) as run_ms,
       (select count(*) from round join unit on unit.workflow_id = round.workflow_id
         where round.request_id = ? and unit.state = 'done') as units`,
    requestId,
    requestId,
  );
  const { run_ms, units } = row!;
  return run_ms === null || units === 0 ? null : Number(run_ms) / units;
}
