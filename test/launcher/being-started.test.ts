import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { Launcher } from '../../src/worker/launcher/launcher.ts';
import { monotonicNow } from '../../src/worker/launcher/monotonic-now.ts';
import type { EndCause, EndedNotice, Notice } from '../../src/worker/launcher/protocol.ts';
import type { StartCallbacks, Starter } from '../../src/worker/launcher/start/starter.ts';
import { spawnOrder, temporaryDirectory } from './launcher-world.ts';

/** Above every pid, so that no signal reaches anything. */
const NO_PROCESS = 2 ** 22 + 1;

/** A launcher whose programs are not real: the test says when each of them has started. */
function launcherAlone() {
  const dir = temporaryDirectory();
  const programs: StartCallbacks[] = [];
  const starter: Starter = {
    name: 'posix_spawn',
    start: (_, callbacks) => void programs.push(callbacks),
    killGroup() {},
  };
  const notices: Notice[] = [];
  const launcher = new Launcher({
    markerPrefix: 'none',
    starter,
    send: (notice) => notices.push(notice),
    guardianIsQuiet: () => Promise.resolve(),
  });
  return {
    launcher,
    programs,
    notices,
    async start(...tokens: number[]) {
      for (const token of tokens) launcher.accept(spawnOrder(dir, token, 'true'));
      for (let turns = 0; turns <= tokens.length; turns += 1) await turn();
    },
    end(token: number, why: EndCause, unlessStarted = false) {
      launcher.accept({ kind: 'end', token, why, now: true, unlessStarted });
    },
    ends: () => notices.filter((notice): notice is EndedNotice => notice.kind === 'ended'),
  };
}

describe('an attempt whose process is being started', () => {
  test('is ended as soon as its process is known', async () => {
    const { programs, start, end, notices, ends } = launcherAlone();
    await start(1);
    end(1, 'canceled');
    expect(notices).toEqual([]);
    programs[0]!.started(NO_PROCESS);
    programs[0]!.exited({ code: null, signal: 'SIGKILL' });
    await vi.waitUntil(() => ends().length === 1);
    expect(ends()[0]!.outcome).toEqual(outcome({ signal: 'SIGKILL', canceled: true }));
    expect(ends()[0]!.startedAt).not.toBeNull();
  });

  test('is not given back: its process may do its work already', async () => {
    const { programs, start, end, ends } = launcherAlone();
    await start(1);
    end(1, 'stopped', true);
    programs[0]!.started(NO_PROCESS);
    programs[0]!.exited({ code: 0, signal: null });
    await vi.waitUntil(() => ends().length === 1);
    expect(ends()[0]!.outcome).toEqual(outcome({ exit_code: 0 }));
  });

  test('is lost when the lease ends meanwhile', async () => {
    const { launcher, programs, start, ends } = launcherAlone();
    launcher.accept({ kind: 'fence', until: monotonicNow() + 60_000 });
    await start(1);
    launcher.accept({ kind: 'fence', until: monotonicNow() - 1 });
    await turn();
    await vi.waitUntil(() => launcher.isFenced);
    programs[0]!.started(NO_PROCESS);
    programs[0]!.exited({ code: 0, signal: null });
    await vi.waitUntil(() => ends().length === 1);
    expect(ends()[0]!.outcome).toMatchObject({ lost: true });
  });

  test('is waited for by a launcher that stops', async () => {
    const { launcher, programs, start, ends } = launcherAlone();
    await start(1);
    let isStopped = false;
    const stopped = launcher.stop().then(() => {
      isStopped = true;
    });
    await turn();
    expect([launcher.isIdle, isStopped]).toEqual([false, false]);
    programs[0]!.started(NO_PROCESS);
    programs[0]!.exited({ code: null, signal: 'SIGKILL' });
    await stopped;
    expect(ends()[0]!.outcome).toMatchObject({ stopped: true });
  });

  test('is reported to the next worker as one that waits', async () => {
    const { launcher, programs, start } = launcherAlone();
    await start(1);
    expect(launcher.holdings).toEqual({ waiting: [1], started: [] });
    programs[0]!.started(NO_PROCESS);
    expect(launcher.holdings).toMatchObject({ waiting: [], started: [{ token: 1, pid: NO_PROCESS }] });
  });

  test('fails with the words of the system, and the next one starts', async () => {
    const { programs, start, ends } = launcherAlone();
    await start(1, 2, 3, 4, 5);
    expect(programs).toHaveLength(4);
    programs[0]!.failed(new Error('no more processes'));
    await vi.waitUntil(() => programs.length === 5);
    expect(ends()).toMatchObject([{ token: 1, startedAt: null }]);
    expect(ends()[0]!.outcome.spawn_error).toMatch(/^cannot start .*: no more processes$/);
  });
});
