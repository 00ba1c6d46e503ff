import { expect, test } from 'vitest';
import { Changes } from '../../src/client/changes.ts';
import { jobLog, type LogOptions } from '../../src/client/job-log.ts';
import type { Engine } from '../../src/contract/engine.ts';
import type { JobStatus } from '../../src/core/job/job-status.ts';

interface Attempt {
  attempt_id: number;
  started_at_ms: number | null;
  finished_at_ms: number | null;
  /** What each reading gives. */
  pieces: { offset: number; text: string | Uint8Array }[];
}

/** A job whose attempts are read piece by piece. It has ended by default. */
async function linesOf(attempts: Attempt[], options: LogOptions = {}, status: JobStatus = 'completed') {
  const engine = {
    findJob: async () => ({ id: 5, workflow_id: 3, run_id: 1, status }),
    listAttempts: async () => ({
      items: attempts.map(({ pieces: _, ...attempt }) => ({ ...attempt, run_id: 1, job_id: 5 })),
      next: null,
    }),
    readLog: async (_: number, { attempt_id }: { attempt_id: number }) => {
      const piece = attempts.find((each) => each.attempt_id === attempt_id)!.pieces.shift();
      return { offset: piece?.offset ?? 0, data: Buffer.from(piece?.text ?? ''), ended: true };
    },
    onChange: () => () => {},
  };
  const changes = new Changes(engine);
  const lines: string[] = [];
  for await (const line of jobLog(engine as unknown as Engine, 5, options, changes)) lines.push(line);
  changes.stop();
  return lines;
}

const ended = (attempt_id: number, ...pieces: Attempt['pieces']): Attempt => ({
  attempt_id,
  started_at_ms: 10,
  finished_at_ms: 20,
  pieces,
});

test('a log has the lines of all attempts, whenever reading begins', async () => {
  const attempts = () => [1, 2].map((id) => ended(id, { offset: 0, text: `attempt ${id}\n` }));
  expect(await linesOf(attempts())).toEqual(['attempt 1', 'attempt 2']);
  expect(await linesOf(attempts(), { follow: false })).toEqual(['attempt 1', 'attempt 2']);
  expect(await linesOf(attempts(), { attempt: 2 })).toEqual(['attempt 2']);
});

test('an attempt that was never started does not hide those after it', async () => {
  const attempts = [
    ended(1, { offset: 0, text: 'one\n' }),
    { ...ended(2), started_at_ms: null },
    ended(3, { offset: 0, text: 'three\n' }),
  ];
  expect(await linesOf(attempts)).toEqual(['one', 'three']);
  expect(await linesOf([{ ...ended(1), started_at_ms: null }], { attempt: 1 }, 'ready')).toEqual([]);
});

test('what stands on both sides of a gap is not joined', async () => {
  const attempt = ended(
    1,
    { offset: 0, text: 'whole\nhal' },
    { offset: 9, text: 'f\ncut ' },
    { offset: 1000, text: 'off\nend' },
  );
  expect(await linesOf([attempt])).toEqual(['whole', 'half', 'cut ', 'off', 'end']);
});

test('an attempt that is not there is not one that wrote nothing', async () => {
  await expect(linesOf([ended(1)], { attempt: 2 })).rejects.toMatchObject({
    code: 'NO_LOG',
    message: 'there is no stdout of attempt 2 of job 5',
  });
  expect(await linesOf([ended(1)], { attempt: 1 })).toEqual([]);
});

test('a character is whole though its bytes come one by one', async () => {
  const [first, second] = Buffer.from('é');
  const attempt = ended(
    1,
    { offset: 0, text: new Uint8Array([first!]) },
    { offset: 1, text: new Uint8Array([second!, 0x0a]) },
  );
  expect(await linesOf([attempt])).toEqual(['é']);
});

test('a job that waits for a decision writes nothing more', async () => {
  expect(await linesOf([ended(1, { offset: 0, text: 'no\n' })], {}, 'pending_failed')).toEqual(['no']);
});
