import { describe, expect, test, vi } from 'vitest';
import { NewsDesk } from '../../src/server/news-desk.ts';

/** An engine that says what it is told to say, and counts how often it was asked. */
function scripted() {
  const listeners = new Set<() => void>();
  const facts = { work: false, tell: [] as number[], looks: 0 };
  const desk = new NewsDesk(
    {
      hasWork: async () => {
        facts.looks += 1;
        return facts.work;
      },
      workersToNotify: async () => facts.tell,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    (error) => {
      throw error;
    },
  );
  const change = () => {
    for (const listener of listeners) listener();
  };
  return { desk, facts, change, listeners };
}

/** One for each, as each has a client of its own. */
const never = () => new AbortController().signal;

describe('the news desk', () => {
  test('asks once for a hundred waiting workers, however many commits there are at once', async () => {
    vi.useFakeTimers();
    const { desk, facts, change } = scripted();
    for (let id = 1; id <= 100; id += 1) void desk.wait(id, 60_000, never());
    await vi.advanceTimersByTimeAsync(10);
    facts.looks = 0;
    for (let commit = 0; commit < 1000; commit += 1) change();
    await vi.advanceTimersByTimeAsync(10);
    expect(facts.looks).toBe(1);
    desk.close();
    vi.useRealTimers();
  });

  test('wakes a few for work, and more while it is still there', async () => {
    vi.useFakeTimers();
    const { desk, facts, change } = scripted();
    let told = 0;
    for (let id = 1; id <= 100; id += 1)
      void desk.wait(id, 60_000, never()).then((news) => (told += Number(news)));
    await vi.advanceTimersByTimeAsync(10);
    expect(told).toBe(0);
    facts.work = true;
    change();
    await vi.advanceTimersByTimeAsync(6);
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(20);
    await vi.advanceTimersByTimeAsync(200);
    expect(told).toBe(100);
    desk.close();
    vi.useRealTimers();
  });

  test('does not wake a worker again and again for work that does not fit it', async () => {
    vi.useFakeTimers();
    const { desk, facts, change } = scripted();
    facts.work = true;
    let woken = 0;
    let gone = false;
    const worker = (async () => {
      while (!gone) if (await desk.wait(1, 60_000, never())) woken += 1;
    })();
    const commits = setInterval(change, 1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(woken).toBeGreaterThan(30);
    expect(woken).toBeLessThan(60);
    clearInterval(commits);
    gone = true;
    desk.close();
    await worker;
    vi.useRealTimers();
  });

  test('tells those who are meant, and nobody else', async () => {
    const { desk, facts, change } = scripted();
    const first = desk.wait(1, 60_000, never());
    const gone = new AbortController();
    const second = desk.wait(2, 60_000, gone.signal);
    facts.tell = [1];
    change();
    expect(await first).toBe(true);
    gone.abort();
    expect(await second).toBe(false);
    desk.close();
  });

  test('lets go of everybody when it closes, and of the engine', async () => {
    const { desk, listeners } = scripted();
    const waiting = desk.wait(1, 60_000, never());
    desk.close();
    expect(await waiting).toBe(false);
    expect(await desk.wait(1, 60_000, never())).toBe(false);
    expect(listeners.size).toBe(0);
  });
});
