import type { LogStream } from '../../../contract/records/log-access.ts';
import { idLists } from '../../many-rows.ts';
import { all, first, placeholders, run, type Script } from '../../script.ts';

/** The end of a log as it reached the server. */
export interface LogRow {
  first_byte: number;
  data: Uint8Array;
}

export function* findLog(token: number, stream: LogStream): Script<LogRow | undefined> {
  return yield* first<LogRow>(
    'select first_byte, data from attempt_log where token = ? and stream = ?',
    token,
    stream,
  );
}

export function* putLog(token: number, stream: LogStream, log: LogRow): Script<void> {
  yield* run(
    `insert into attempt_log (token, stream, first_byte, data) values (?, ?, ?, ?)
     on conflict (token, stream) do update set first_byte = excluded.first_byte, data = excluded.data`,
    token,
    stream,
    log.first_byte,
    log.data,
  );
}

/** What is stored of the logs of one attempt is that of another one, too. */
export function* copyLogs(from: number, to: number): Script<void> {
  yield* run(
    `insert into attempt_log (token, stream, first_byte, data)
     select ?, stream, first_byte, data from attempt_log where token = ?`,
    to,
    from,
  );
}

/** Until when the log of the attempt is expected to be read; null if it is not. */
export function* findReader(token: number): Script<number | null> {
  const row = yield* first<{ until: number }>('select until from log_reader where token = ?', token);
  return row?.until ?? null;
}

export function* putReader(token: number, until: number): Script<void> {
  yield* run(
    'insert into log_reader (token, until) values (?, ?) on conflict (token) do update set until = excluded.until',
    token,
    until,
  );
}

/** Live attempts whose logs are read, by the workers that hold them. */
export function* listFollowed(workerIds: readonly number[], now: number): Script<Map<number, number[]>> {
  const tokens = new Map<number, number[]>();
  for (const list of idLists(workerIds)) {
    const rows = yield* all<{ token: number; worker_id: number }>(
      `select log_reader.token, attempt.worker_id from log_reader join attempt on attempt.id = log_reader.token
       where log_reader.until > ? and attempt.worker_id in ${placeholders(list.length)}
         and attempt.finished_at is null order by log_reader.token`,
      now,
      ...list,
    );
    for (const { token, worker_id } of rows) {
      tokens.set(worker_id, [...(tokens.get(worker_id) ?? []), token]);
    }
  }
  return tokens;
}

/** Nobody reads these any more. */
export function* forgetReaders(now: number): Script<void> {
  yield* run('delete from log_reader where until <= ?', now);
}

/** The attempt whose log is meant, whoever holds it. */
export interface LoggedAttempt {
  token: number;
  worker_id: number;
  run_id: number;
  attempt_id: number;
  finished_at: number | null;
}

const LOGGED = 'select id as token, worker_id, run_id, attempt_id, finished_at from attempt';

export function* findLoggedAttempt(token: number): Script<LoggedAttempt | undefined> {
  return yield* first<LoggedAttempt>(`${LOGGED} where id = ?`, token);
}

/** The attempt that was asked for (default: the newest of the run). */
export function* findAttemptToRead(
  jobId: number,
  runId: number,
  attemptId: number | null,
): Script<LoggedAttempt | undefined> {
  const some = attemptId === null ? '' : ' and attempt_id = ?';
  return yield* first<LoggedAttempt>(
    `${LOGGED} where job_id = ? and run_id = ?${some} order by attempt_id desc limit 1`,
    jobId,
    runId,
    ...(attemptId === null ? [] : [attemptId]),
  );
}
