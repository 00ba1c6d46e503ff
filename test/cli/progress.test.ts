import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventLine } from '../../src/cli/progress/event-line.ts';
import { LiveProgress } from '../../src/cli/progress/live-progress.ts';
import { PlainProgress } from '../../src/cli/progress/plain-progress.ts';
import { WorkflowFrames } from '../../src/cli/progress/workflow-frames.ts';
import { createPaint, lineText } from '../../src/cli/terminal/styled-line.ts';
import type { Engine } from '../../src/contract/engine.ts';
import type { EventRecord, WorkflowStatus } from '../../src/contract/records/records.ts';
import { Served } from '../engine/served-world.ts';
import { counts, event, status } from './records.ts';
import { until } from './run-cli.ts';

const plain = createPaint(false);

/** Only what progress asks of an engine; `change` notifies listeners as a commit would. */
function watchedEngine(events: EventRecord[], current: () => WorkflowStatus) {
  const listeners = new Set<() => void>();
  const engine = {
    status: async () => current(),
    graph: async () => ({ groups: [], edges: [], routes: [], left_off: 0 }),
    listEvents: async (_: number, { after = 0 }) => ({
      items: events.filter(({ id }) => id > after),
      next: null,
    }),
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Engine;
  const change = () => {
    for (const listener of listeners) listener();
  };
  return { engine, listeners, change };
}

function screen(columns: number, rows: number) {
  const stream = Object.assign(new PassThrough(), { columns, rows }) as unknown as WriteStream;
  let written = '';
  stream.on('data', (chunk) => {
    written += String(chunk);
  });
  return { stream, written: () => written };
}

describe('a line of plain progress', () => {
  const text = (given: Partial<EventRecord>) => {
    const line = eventLine(event(given));
    return line && lineText(line);
  };

  test('shows how long a job took', () => {
    expect(text({})).toBe('12:01:07 ok      train_1  1.2s');
  });

  test('shows outcome and verdict of an attempt that did not succeed', () => {
    expect(text({ type: 'retry', reason: 'retry 1 of 3 after 2s', data: { outcome: 'exit 1' } })).toBe(
      '12:01:07 retry   train_1  exit 1 - retry 1 of 3 after 2s',
    );
    expect(text({ type: 'requeue', reason: 'stopped, free of charge', data: { outcome: 'stopped' } })).toBe(
      '12:01:07 again   train_1  stopped, free of charge',
    );
    expect(text({ type: 'cancel', reason: 'canceled by ada', data: {} })).toBe(
      '12:01:07 cancel  train_1  canceled by ada',
    );
  });

  test('shows who has to decide, what recovery scripts did, and what people did by hand', () => {
    expect(text({ type: 'ask', reason: 'waiting for a decision', data: { outcome: 'exit 11' } })).toBe(
      '12:01:07 ask     train_1  exit 11 - waiting for a decision',
    );
    expect(
      text({ type: 'recovery', reason: 'the recovery script failed', data: { outcome: 'exit 9' } }),
    ).toBe('12:01:07 recover train_1  exit 9 - the recovery script failed');
    expect(text({ type: 'abort', reason: 'aborted by rule 1 of net', data: { outcome: 'exit 1' } })).toBe(
      '12:01:07 abort   train_1  exit 1 - aborted by rule 1 of net',
    );
    expect(text({ type: 'manual_retry', reason: 'retried by ada', data: {} })).toBe(
      '12:01:07 retry   train_1  retried by ada',
    );
    expect(text({ type: 'run_reset', job_name: null, reason: 'run 2 begun by ada', data: {} })).toBe(
      '12:01:07 reset   run 2 begun by ada',
    );
  });

  test('shows routes, and what happens to steps because of them', () => {
    const route = { kind: 'goto', target: 'setup', loop: 1, max_loops: 10 };
    const data = { outcome: 'exit 1', route };
    expect(text({ type: 'goto', reason: 'on_fail: goes back to setup', data })).toBe(
      '12:01:07 goto    train_1  exit 1 - on_fail: goes back to setup',
    );
    expect(text({ type: 'loop_abort', reason: 'loop_abort: one goto too many', data: {} })).toBe(
      '12:01:07 abort   train_1  loop_abort: one goto too many',
    );
    expect(text({ type: 'remediation', data: { step: 'lint-fix', position: 1, of: 1 } })).toBe(
      '12:01:07 remedy  train_1  runs lint-fix before it is tried again',
    );
    expect(text({ type: 'call', data: { step: 'notify', position: 2, of: 3 } })).toBe(
      '12:01:07 call    train_1  runs notify (2 of 3)',
    );
    expect(text({ type: 'supersede', reason: 'a goto to a came first', data: { outcome: 'exit 0' } })).toBe(
      '12:01:07 dropped train_1  exit 0 - a goto to a came first',
    );
    expect(text({ type: 'disable', reason: '`if` is false', data: {} })).toBe(
      '12:01:07 skipped train_1  `if` is false',
    );
    expect(text({ type: 'expand', reason: null, data: { items: 3 } })).toBe(
      '12:01:07 items   train_1  3 items',
    );
    expect(text({ scope: 'list[2]' })).toBe('12:01:07 ok      train_1@list[2]  1.2s');
  });

  test('is not made of events that change nothing about a job', () => {
    expect(text({ type: 'run_started', job_name: null })).toBeNull();
  });
});

describe('plain progress', () => {
  test('shows only what happens after it began, and the rest when it is stopped', async () => {
    const events = [event({ id: 1, job_name: 'before' })];
    const { engine, listeners } = watchedEngine(events, () => status());
    const lines: string[] = [];
    const progress = new PlainProgress(
      engine,
      { id: 3, job_count: 2, after: 1 },
      (line) => lines.push(line),
      plain,
    );
    events.push(event({ id: 2, job_name: 'after' }));
    await progress.stop();
    await progress.stop();
    expect(lines).toEqual(['12:01:07 ok      after  1.2s']);
    expect(listeners.size).toBe(0);
  });
});

test('a stream takes every event as it is, also of a large workflow', async () => {
  const events = [event({ id: 1 }), event({ id: 2, type: 'retry' })];
  const { engine } = watchedEngine(events, () => status());
  const seen: EventRecord[] = [];
  const lines: string[] = [];
  const progress = new PlainProgress(
    engine,
    { id: 3, job_count: 100_000, after: 0 },
    (line) => lines.push(line),
    plain,
    (each) => seen.push(each),
  );
  await progress.stop();
  expect(seen).toEqual(events);
  expect(lines).toEqual([]);
});

describe('the live screen', () => {
  test('hides the cursor only while it draws, in place, and leaves the terminal as it was', async () => {
    let current = status();
    const { engine, change } = watchedEngine([], () => current);
    const { stream, written } = screen(80, 24);
    const progress = new LiveProgress(engine, new WorkflowFrames(engine, 3), stream, plain);
    await until(() => written().includes('5/10'), 'the first frame is drawn');
    expect(written()).toMatch(/^\x1b\[\?2026h\x1b\[\?25l[\s\S]*\x1b\[\?25h\x1b\[\?2026l$/);
    current = status({ counts: counts({ completed: 6, running: 4 }) });
    change();
    await until(() => written().includes('6/10'), 'the change is drawn');
    expect(written()).toContain('\r\x1b[2A');
    await progress.stop();
    await progress.stop();
    expect(written().endsWith('\r\x1b[2A\x1b[J')).toBe(true);
    expect(stream.listenerCount('resize')).toBe(0);
  });

  test('keeps a note in sight and leaves it behind', async () => {
    const { engine } = watchedEngine([], () => status());
    const { stream, written } = screen(80, 24);
    const progress = new LiveProgress(engine, new WorkflowFrames(engine, 3), stream, plain);
    progress.note('stopping 2 running jobs');
    await until(() => written().includes('stopping 2 running jobs'), 'the note is drawn');
    await progress.stop();
    expect(written().endsWith('\x1b[Jstopping 2 running jobs\n')).toBe(true);
  });

  test('reckons with lines that a narrower terminal has wrapped', async () => {
    const { engine } = watchedEngine([], () => status());
    const { stream, written } = screen(80, 24);
    const progress = new LiveProgress(engine, new WorkflowFrames(engine, 3), stream, plain);
    await until(() => written().includes('5/10'), 'the first frame is drawn');
    stream.columns = 40;
    stream.emit('resize');
    // 49, 69 and 42 columns were drawn: two rows each of 40.
    await until(() => written().includes('\r\x1b[5A'), 'the frame is drawn again from its first row');
    await progress.stop();
    expect(written()).not.toContain('\n\n');
  });

  test('looks again for stages that lag behind the counts', async () => {
    const { engine } = watchedEngine([], () => status());
    const frames = new WorkflowFrames(engine, 3);
    expect(await frames.read()).toBeNull();
    const again = await frames.read();
    expect(again).toBeGreaterThan(0);

    vi.useFakeTimers();
    try {
      let looks = 0;
      const source = { read: async () => (++looks === 1 ? 200 : null), frame: () => [] };
      const progress = new LiveProgress(engine, source, screen(80, 24).stream, plain);
      // Before the tick of a second.
      await vi.advanceTimersByTimeAsync(900);
      expect(looks).toBe(2);
      await progress.stop();
      await vi.advanceTimersByTimeAsync(5_000);
      expect(looks).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test('continues after a look at the state has failed', async () => {
    let looks = 0;
    const { engine, change } = watchedEngine([], () => {
      looks += 1;
      if (looks === 1) throw new Error('locked');
      return status();
    });
    const { stream, written } = screen(80, 24);
    const progress = new LiveProgress(engine, new WorkflowFrames(engine, 3), stream, plain);
    await until(() => looks > 0, 'the first look has failed');
    change();
    await until(() => written().includes('5/10'), 'the next look is drawn');
    await progress.stop();
    expect(looks).toBeGreaterThan(1);
  });
});

test('of a large workflow ends with the share of all, also where a failure is the last event', async () => {
  const served = new Served();
  const jobs = Array.from({ length: 201 }, (_, index) => ({ name: `job_${index}` }));
  const id = await served.submit(jobs);
  const worker = await served.worker({ cpus: 1000 });
  const claims = await served.claim(worker);
  const last = claims.pop()!;
  for (const claim of claims) await served.end(worker, claim);
  const after = (await served.engine.listEvents(id, { limit: 1000 })).items.at(-1)!.id;
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const progress = new PlainProgress(served.engine, { id, job_count: 201, after }, write, plain);
  await served.end(worker, last, { exit_code: 3 });
  await progress.stop();
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    expect.stringMatching(/^failed {2}job_200 {2}exit 3/),
    '100%  201 of 201 jobs ended, 1 failed',
  ]);
});

test('of a large workflow ends with the share of all, also where its last events were read before the jobs were counted again', async () => {
  const events: EventRecord[] = [];
  let ended = 100;
  let looks = 0;
  const { engine, change } = watchedEngine(events, () =>
    status({ counts: counts({ completed: ended, ready: 201 - ended }), complete: ended === 201 }),
  );
  const slow = Object.assign(Object.create(engine) as Engine, {
    status: async (id: number) => {
      looks += 1;
      const current = await engine.status(id);
      // Nothing is counted for twenty times as long.
      vi.setSystemTime(Date.now() + 60_000);
      return current;
    },
    listEvents: async (id: number, page: { after?: number }) => {
      const read = await engine.listEvents(id, page);
      if (read.items.length > 0) newest = read.items.at(-1)!.id;
      return read;
    },
  });
  let newest = 0;
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const progress = new PlainProgress(
    slow,
    { id: 1, job_count: 201, after: 0 },
    (line) => void lines.push(line),
    plain,
  );
  events.push(event({ id: 1, type: 'completed' }));
  change();
  await until(() => looks === 1, 'the jobs are counted');
  ended = 201;
  events.push(event({ id: 2, type: 'completed' }));
  change();
  await until(() => newest === 2, 'the last event is read');
  await progress.stop();
  expect(lines.at(-1)).toMatch(/100% {2}201 of 201 jobs ended$/);
});
