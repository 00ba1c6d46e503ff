import { describe, expect, test, vi } from 'vitest';
import type { FoundNews, WorkerRoom } from '../../src/contract/records/worker-news.ts';
import type { WaitingJobs } from '../../src/core/placement/choose-takers.ts';
import { NO_LIMITS } from '../../src/core/placement/eligibility.ts';
import { NewsDesk } from '../../src/server/news-desk.ts';

const FULL: WorkerRoom = room(0);
const ONE: WorkerRoom = room(1);

function room(slots: number, workflow_id: number | null = null): WorkerRoom {
  return {
    workflow_id,
    free: { slots, cpus: slots, memory_bytes: 1e9 * slots, gpus: 0, default_cpus: 1 },
  };
}

function jobs(count: number, facts: Partial<WaitingJobs['requirement']> = {}, workflow_id = 1): WaitingJobs {
  const any = { name: null, cpus: null, memory_bytes: null, gpus: 0, nodes: 1, runtime_ms: null };
  return {
    workflow_id,
    requirement: { ...any, resources: {}, labels: [], ...facts },
    count,
    limits: NO_LIMITS,
    bans: [],
    sites: null,
  };
}

/** An engine that says what the test gives it, and counts how often it was asked. */
function scripted() {
  vi.useFakeTimers();
  const listeners = new Set<() => void>();
  const facts = {
    jobs: [] as WaitingJobs[],
    errands: false,
    words: {} as Record<number, string>,
    labels: {} as Record<number, string[]>,
    due_in_ms: null as number | null,
    looks: 0,
    jobLooks: 0,
  };
  const desk = new NewsDesk(
    {
      findNews: async (withJobs): Promise<FoundNews> => {
        facts.looks += 1;
        if (withJobs) facts.jobLooks += 1;
        const notices = Object.entries(facts.words).map(([id, words]) => ({ worker_id: Number(id), words }));
        const { errands, due_in_ms } = facts;
        return { notices, jobs: withJobs ? facts.jobs : null, errands, due_in_ms, at_ms: Date.now() };
      },
      workerPlaces: async (ids) =>
        ids.map((id) => ({ worker_id: id, site: 'here', labels: facts.labels[id] ?? [] })),
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
  const woken: number[] = [];
  /** Each has a client of its own. */
  const wait = (id: number, offer: WorkerRoom = ONE) =>
    desk.wait(id, 60_000, new AbortController().signal, offer).then((news) => {
      if (news) woken.push(id);
      return news;
    });
  const close = () => {
    desk.close();
    vi.useRealTimers();
  };
  return { desk, facts, change, listeners, woken, wait, close };
}

const soon = () => vi.advanceTimersByTimeAsync(50);

describe('the news desk', () => {
  test('asks once for a hundred waiting workers, however many commits there are at once', async () => {
    const { facts, change, wait, close } = scripted();
    for (let id = 1; id <= 100; id += 1) void wait(id);
    await soon();
    facts.looks = 0;
    for (let commit = 0; commit < 1000; commit += 1) change();
    await soon();
    expect(facts.looks).toBe(1);
    close();
  });

  test('does not ask again for a worker that begins to wait while nothing changes', async () => {
    const { facts, wait, close } = scripted();
    void wait(1);
    await soon();
    facts.looks = 0;
    for (let id = 2; id <= 100; id += 1) void wait(id);
    await soon();
    expect(facts.looks).toBe(0);
    close();
  });

  test('wakes as many workers as there are jobs for', async () => {
    const { facts, change, woken, wait, close } = scripted();
    void wait(1, room(3));
    for (let id = 2; id <= 100; id += 1) void wait(id);
    await soon();
    facts.jobs = [jobs(5)];
    change();
    await soon();
    expect(woken).toEqual([1, 2, 3]);
    // They are on their way: what they will claim is not for others.
    change();
    await soon();
    expect(woken).toEqual([1, 2, 3]);
    close();
  });

  test('wakes others when those that it woke do not come', async () => {
    const { facts, change, woken, wait, close } = scripted();
    for (let id = 1; id <= 4; id += 1) void wait(id);
    facts.jobs = [jobs(2)];
    change();
    await soon();
    expect(woken).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(woken).toEqual([1, 2, 3, 4]);
    close();
  });

  test('does not wake a full worker for jobs, nor look for them', async () => {
    const { facts, change, woken, wait, close } = scripted();
    facts.jobs = [jobs(100)];
    for (let id = 1; id <= 10; id += 1) void wait(id, FULL);
    await soon();
    change();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(woken).toEqual([]);
    expect(facts.jobLooks).toBe(0);
    close();
  });

  test('wakes an idle worker though all that came before it are full', async () => {
    const { facts, woken, wait, close } = scripted();
    facts.jobs = [jobs(1)];
    for (let id = 1; id <= 10; id += 1) void wait(id, FULL);
    await soon();
    void wait(11);
    await soon();
    expect(woken).toEqual([11]);
    close();
  });

  test('wakes a full worker for a notice once, and again for another one', async () => {
    const { facts, change, woken, wait, close } = scripted();
    void wait(1, FULL);
    void wait(2, FULL);
    await soon();
    facts.words = { 1: 'cancel 7' };
    change();
    await soon();
    expect(woken).toEqual([1]);
    void wait(1, FULL);
    change();
    await soon();
    expect(woken).toEqual([1]);
    facts.words = { 1: 'cancel 7, drain 0' };
    change();
    await soon();
    expect(woken).toEqual([1, 1]);
    close();
  });

  test('wakes a worker for what came up between its exchange and its wait', async () => {
    const { facts, change, woken, wait, close } = scripted();
    void wait(2, FULL);
    await soon();
    facts.words = { 1: 'drain 0' };
    facts.jobs = [jobs(1)];
    change();
    await soon();
    void wait(1, FULL);
    void wait(3);
    await soon();
    expect(woken.sort()).toEqual([1, 3]);
    close();
  });

  test('wakes a worker whose room has grown while it waits', async () => {
    const { desk, facts, change, woken, wait, close } = scripted();
    void wait(1, FULL);
    await soon();
    facts.jobs = [jobs(1)];
    change();
    await soon();
    desk.exchanged(1, ONE, false);
    await soon();
    expect(woken).toEqual([1]);
    close();
  });

  test('wakes only workers that could take a job: labels, resources, workflow', async () => {
    const { desk, facts, change, woken, wait, close } = scripted();
    facts.labels = { 2: ['gpu'] };
    void wait(1);
    void wait(2);
    void wait(3, room(4));
    void wait(4, room(1, 9));
    await soon();
    facts.jobs = [jobs(1, { labels: ['gpu'] }), jobs(1, { cpus: 3 }), jobs(9, { cpus: 8 })];
    change();
    await soon();
    expect(woken).toEqual([2, 3]);
    for (const id of [2, 3]) desk.exchanged(id, FULL, true);
    facts.jobs = [jobs(1, {}, 9), jobs(9, { memory_bytes: 2e9 }, 9)];
    change();
    await soon();
    // The first that waits is for any workflow.
    expect(woken).toEqual([2, 3, 1]);
    desk.exchanged(1, FULL, true);
    change();
    await soon();
    expect(woken).toEqual([2, 3, 1, 4]);
    close();
  });

  test('stays within the limits of a workflow', async () => {
    const { facts, change, woken, wait, close } = scripted();
    for (let id = 1; id <= 10; id += 1) void wait(id);
    await soon();
    const limits = { named: new Map([['license', 2]]), parallel: 3 };
    facts.jobs = [
      { ...jobs(5, { resources: { license: 1 } }), limits },
      { ...jobs(5), limits },
    ];
    change();
    await soon();
    expect(woken).toEqual([1, 2, 3]);
    close();
  });

  test('wakes one worker for an errand, a full one if there is no other', async () => {
    const { facts, change, woken, wait, close } = scripted();
    for (let id = 1; id <= 5; id += 1) void wait(id, FULL);
    await soon();
    facts.errands = true;
    change();
    await soon();
    expect(woken).toEqual([1]);
    facts.errands = false;
    close();
  });

  test('looks again when something becomes due', async () => {
    const { facts, woken, wait, close } = scripted();
    facts.due_in_ms = 30_000;
    void wait(1);
    await soon();
    facts.jobs = [jobs(1)];
    facts.due_in_ms = null;
    await vi.advanceTimersByTimeAsync(29_000);
    expect(woken).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(woken).toEqual([1]);
    close();
  });

  test('does not wake a worker again and again for a job that it does not get', async () => {
    const { desk, facts, change, woken, wait, close } = scripted();
    facts.jobs = [jobs(1)];
    let gone = false;
    const worker = (async () => {
      while (!gone) if (await wait(1)) desk.exchanged(1, ONE, false);
    })();
    const commits = setInterval(change, 1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(woken.length).toBeGreaterThan(30);
    expect(woken.length).toBeLessThan(60);
    clearInterval(commits);
    gone = true;
    close();
    await worker;
  });

  test('forgets a wait that the client has given up, and ends the earlier wait of a worker', async () => {
    const { desk, facts, change, wait, close } = scripted();
    const gone = new AbortController();
    const given = desk.wait(1, 60_000, gone.signal, ONE);
    gone.abort();
    expect(await given).toBe(false);
    const earlier = wait(2);
    const later = wait(2);
    expect(await earlier).toBe(false);
    facts.jobs = [jobs(1)];
    change();
    await soon();
    expect(await later).toBe(true);
    close();
  });

  test('lets go of everybody when it closes, and of the engine', async () => {
    const { desk, listeners, wait, close } = scripted();
    const waiting = wait(1);
    desk.close();
    expect(await waiting).toBe(false);
    expect(await wait(1)).toBe(false);
    expect(listeners.size).toBe(0);
    close();
  });
});
