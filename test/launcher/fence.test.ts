import { describe, expect, test, vi } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { Launcher } from '../../src/worker/launcher/launcher.ts';
import { monotonicNow } from '../../src/worker/launcher/monotonic-now.ts';
import type { EndedNotice, Notice } from '../../src/worker/launcher/protocol.ts';
import type { StartCallbacks, Starter } from '../../src/worker/launcher/start/starter.ts';
import { spawnOrder, temporaryDirectory } from './launcher-world.ts';

/** Above every pid, so that no signal reaches anything. */
const NO_PROCESS = 2 ** 22 + 1;

/** A launcher whose programs are not real: the test says when they end, and when the guardian is quiet. */
function launcherAlone() {
  const dir = temporaryDirectory();
  const programs: StartCallbacks[] = [];
  const starter: Starter = {
    name: 'posix_spawn',
    start(_, callbacks) {
      programs.push(callbacks);
      callbacks.started(NO_PROCESS + programs.length);
    },
    killGroup() {},
  };
  const notices: Notice[] = [];
  const quiet: (() => void)[] = [];
  const launcher = new Launcher({
    markerPrefix: 'none',
    starter,
    send: (notice) => notices.push(notice),
    guardianIsQuiet: () => new Promise((resolve) => quiet.push(resolve)),
  });
  let token = 0;
  return {
    programs,
    quiet,
    fence: (ms: number) => launcher.accept({ kind: 'fence', until: monotonicNow() + ms }),
    start: () => launcher.accept(spawnOrder(dir, ++token, 'true')),
    ends: () => notices.filter((notice): notice is EndedNotice => notice.kind === 'ended'),
  };
}

/** As a process that is stopped by a signal does: no timer runs meanwhile. */
function standStill(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('a launcher that stood still while its fence passed', () => {
  test('does not believe an exit that it finds before its timer runs', async () => {
    const { programs, fence, start, ends } = launcherAlone();
    fence(60_000);
    start();
    await vi.waitUntil(() => programs.length === 1);
    fence(20);
    standStill(40);
    programs[0]!.exited({ code: null, signal: 'SIGKILL' });
    await vi.waitUntil(() => ends().length === 1);
    expect(ends()[0]!.outcome).toEqual(outcome({ signal: 'SIGKILL', lost: true }));
  });

  test('is not saved by a renewal that it finds before its timer runs', async () => {
    const { programs, fence, start, ends } = launcherAlone();
    fence(60_000);
    start();
    await vi.waitUntil(() => programs.length === 1);
    fence(20);
    standStill(40);
    fence(60_000);
    programs[0]!.exited({ code: 0, signal: null });
    await vi.waitUntil(() => ends().length === 1);
    expect(ends()[0]!.outcome).toMatchObject({ lost: true });
  });

  test('starts nothing until the guardian kills no more', async () => {
    const { programs, quiet, fence, start, ends } = launcherAlone();
    fence(20);
    standStill(40);
    fence(60_000);
    for (let count = 0; count < 3; count += 1) start();
    await vi.waitUntil(() => quiet.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(programs).toEqual([]);
    quiet[0]!();
    await vi.waitUntil(() => programs.length === 3);
    for (const { exited } of programs) exited({ code: 5, signal: null });
    expect(ends().map((notice) => notice.outcome)).toEqual(Array(3).fill(outcome({ exit_code: 5 })));
  });
});
