import type { ResumedWorker } from '../../contract/records/exchange.ts';
import type { AttemptRunner } from '../execute/attempt-runner.ts';
import { errandToken } from '../execute/errand-runner.ts';
import type { Launchers } from '../execute/launchers.ts';
import { attemptFiles } from '../execute/spawn-order.ts';
import { startedUnheard } from '../launcher/launcher-process.ts';
import type { Holdings } from '../launcher/protocol.ts';

/**
 * A restarted worker continues where the one before was cut off: what the launchers have and what the engine believes
 * it has are put together. What only one of them knows is ended, or given back.
 */
export function takeOver(
  runner: AttemptRunner,
  launchers: Launchers,
  holdings: Holdings,
  resumed: ResumedWorker,
  stateDir: string,
): void {
  const { waiting, started, ended } = holdings;
  const launched = new Set([...waiting, ...[...started, ...ended].map(({ token }) => token)]);
  const wanted = new Set<number>();
  const want = (token: number) => {
    wanted.add(token);
    return launched.has(token);
  };
  /** Of these the engine has not heard. */
  const news = new Set<number>();
  for (const { claim, started_at_ms, observed } of resumed.held) {
    const { token } = claim;
    if (observed !== null) {
      runner.resumeReported(claim, observed);
      continue;
    }
    if (started_at_ms === null) news.add(token);
    // Its directory is made right before it is started.
    const startedAt =
      started_at_ms ?? startedUnheard(attemptFiles(claim, stateDir).workDir)?.startedAt ?? null;
    runner.resume(claim, want(token), startedAt === null ? { stopped: true } : { lost: true }, startedAt);
  }
  for (const errand of resumed.errands) runner.resumeErrand(errand, want(errandToken(errand.id)));

  for (const token of [...waiting, ...started.map((notice) => notice.token)]) {
    if (!wanted.has(token)) launchers.end(token, 'canceled', true);
  }
  for (const notice of started) if (news.has(notice.token)) runner.onStarted(notice);
  for (const notice of ended) {
    if (wanted.has(notice.token)) runner.onEnded(notice);
    else launchers.forget([notice.token]);
  }
}
