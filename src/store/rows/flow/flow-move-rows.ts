import type { FlowMoves } from '../../../core/flow/flow-moves.ts';
import type { FlowJob } from '../../../core/flow/flow-part.ts';
import { blocked, claimable } from '../../../core/job/full-state.ts';
import { JOB_STATUS } from '../../../core/job/job-status.ts';
import { idLists, inParts, valueTable } from '../../many-rows.ts';
import { changeAll, placeholders, run, type Script, type SqlValue } from '../../script.ts';
import { stateChange } from '../jobs/state-change.ts';
import {
  AWAITS_DEPENDENCIES,
  encodeServes,
  HELD_BACK,
  STATE_TYPES,
  stateValues,
} from '../jobs/state-columns.ts';

const STATE = Object.entries(STATE_TYPES);

/** What a move writes of a job, with its type, besides its state. */
const OTHERS: readonly [column: string, type: string, read: (job: FlowJob) => SqlValue][] = [
  ['visit', 'bigint', ({ visit }) => visit],
  ['settled', 'text', ({ settled }) => settled],
  ['serves', 'text', ({ serves }) => encodeServes(serves)],
  ['reason', 'text', ({ reason }) => reason],
];

const RELEASED = stateChange(['blocked'], claimable(), { waiting_until: '? + scheduling_timeout' });
const BLOCKED_AGAIN = stateChange(['ready'], blocked({ for: 'dependencies' }));
const FIRST = 4;
const WRITTEN = [...STATE, ...OTHERS];
const ASSIGNMENTS = WRITTEN.map(([column], index) => `${column} = moved.column${index + FIRST}`).join(', ');

/** Each a compare-and-set on status and attempt; a few statements, however many there are. */
export function* moveJobs(moves: FlowMoves['jobs']): Script<void> {
  for (const part of inParts(moves)) {
    const table = valueTable(
      ['bigint', 'bigint', 'integer', ...WRITTEN.map(([, type]) => type)],
      part.map(({ before, after }) => [
        ...[before.id, before.attempt_id, JOB_STATUS[before.state.status]],
        ...stateValues(after.state),
        ...OTHERS.map(([, , read]) => read(after)),
      ]),
    );
    yield* changeAll(
      part.length,
      `update job set ${ASSIGNMENTS} from ${table.sql} as moved
       where job.id = moved.column1 and job.attempt_id = moved.column2 and job.status + 0 = moved.column3`,
      ...table.values,
    );
  }
}

export function* writeSets(sets: FlowMoves['sets']): Script<void> {
  const inOrder = [...sets].sort((a, b) => a.id - b.id);
  for (const part of inParts(inOrder)) {
    const table = valueTable(
      ['bigint', 'bigint', 'bigint', 'bigint', 'bigint'],
      part.map(({ id, size, remaining, unsuccessful, disabled }) => [
        ...[id, size, remaining, unsuccessful, disabled],
      ]),
    );
    yield* changeAll(
      part.length,
      `update dependency_set set size = counted.column2, remaining = counted.column3,
         unsuccessful = counted.column4, disabled = counted.column5
       from ${table.sql} as counted where dependency_set.id = counted.column1`,
      ...table.values,
    );
  }
}

/** blocked → ready for the jobs that wait for the set; after a failure only for those that do not mind. */
export function* releaseSet(
  setId: number,
  afterFailure: boolean,
  now: number,
  besides: readonly number[] = [],
): Script<void> {
  const others = besides.length === 0 ? '' : ` and id not in ${placeholders(besides.length)}`;
  yield* run(
    `update job set ${RELEASED.to}
     where dependency_set_id = ? and status in ${RELEASED.from} and ${AWAITS_DEPENDENCIES} and blueprint = 0${
       afterFailure ? ' and cancel_on_failure = 0' : ''
     }${others}`,
    now,
    setId,
    ...besides,
  );
}

/** ready → blocked for jobs that could be claimed, and wait for one of the sets again. */
export function* blockUnmet(sets: readonly number[]): Script<void> {
  for (const list of idLists(sets)) {
    yield* run(
      `update job set ${BLOCKED_AGAIN.to}
       where dependency_set_id in ${placeholders(list.length)} and status in ${BLOCKED_AGAIN.from}
         and waiting_for is null and ${HELD_BACK}`,
      ...list,
    );
  }
}

export function* writeCalls(calls: FlowMoves['calls']): Script<void> {
  for (const part of inParts(calls)) {
    const table = valueTable(
      ['bigint', 'text', 'text'],
      part.map(({ id, from, state }) => [id, from, state]),
    );
    yield* changeAll(
      part.length,
      `update call set state = moved.column3 from ${table.sql} as moved
       where call.id = moved.column1 and call.state = moved.column2`,
      ...table.values,
    );
  }
}

export function* writeRoutes(routes: FlowMoves['routes']): Script<void> {
  for (const part of inParts(routes)) {
    const table = valueTable(
      ['bigint', 'text', 'text'],
      part.map(({ token, from, state }) => [token, from, state]),
    );
    yield* changeAll(
      part.length,
      `update route set state = moved.column3
       from ${table.sql} as moved where route.token = moved.column1 and route.state = moved.column2`,
      ...table.values,
    );
  }
}
