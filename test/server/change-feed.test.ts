import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChangeFeed } from '../../src/server/change-feed.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A feed, the way to have something change, and a wait that knows whether it is over. */
function newFeed() {
  let change = () => {};
  const feed = new ChangeFeed({
    onChange: (listener) => {
      change = listener;
      return () => {};
    },
  });
  const wait = (since: string) => {
    const state = { over: false };
    void feed.waitFor(since, 20_000, new AbortController().signal).then(() => {
      state.over = true;
    });
    return state;
  };
  return { feed, wait, change: () => change() };
}

test('who knows the newest version waits for the next', async () => {
  const { feed, wait, change } = newFeed();
  const waiting = wait(feed.version);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(waiting.over).toBe(false);
  change();
  await vi.advanceTimersByTimeAsync(0);
  expect(waiting.over).toBe(true);
});

test('who knows an older one does not wait', async () => {
  const { feed, wait, change } = newFeed();
  const { version } = feed;
  change();
  const waiting = wait(version);
  await vi.advanceTimersByTimeAsync(0);
  expect(waiting.over).toBe(true);
});

test('who comes from another server waits a moment, so that a proxy that takes turns is not asked without end', async () => {
  const { wait, change } = newFeed();
  const other = newFeed().feed.version;
  const waiting = [wait(other), wait('')];
  await vi.advanceTimersByTimeAsync(999);
  expect(waiting.map(({ over }) => over)).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(waiting.map(({ over }) => over)).toEqual([true, true]);
  const next = wait(other);
  change();
  await vi.advanceTimersByTimeAsync(0);
  expect(next.over).toBe(true);
});
